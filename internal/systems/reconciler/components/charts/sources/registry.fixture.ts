import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServerOfTest, startHttpServer } from './http-server.fixture.ts';

/** A registry (distribution specification 1.1, pull only), which wants a token for each repository. */
export interface RegistryOfTest extends HttpServerOfTest {
  readonly host: string;
  /** Stores a chart under a tag; returns the digest of its manifest. */
  push(repository: string, tag: string, chart: Uint8Array, change?: ChangeOfManifest): string;
  /** The bytes of a manifest that was pushed. */
  manifestOf(repository: string, tag: string): Uint8Array | undefined;
  /** Blobs by digest: a test may replace the bytes. */
  readonly blobs: Map<string, Uint8Array>;
  /** Answers requests itself if it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
}

type ChangeOfManifest = (manifest: Record<string, unknown>) => Record<string, unknown>;

export const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export async function startRegistry(): Promise<RegistryOfTest> {
  const blobs = new Map<string, Uint8Array>();
  const manifests = new Map<string, Uint8Array>();

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (registry.intercept(request, response)) return;
    const url = new URL(request.url ?? '/', registry.url);
    if (url.pathname === '/token') {
      const token = `token ${url.searchParams.get('service')} ${url.searchParams.get('scope')}`;
      response.end(JSON.stringify({ token: Buffer.from(token).toString('base64url') }));
      return;
    }
    const [, repository = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url.pathname) ?? [];
    const scope = `repository:${repository}:pull`;
    const expected = `Bearer ${Buffer.from(`token registry ${scope}`).toString('base64url')}`;
    if (request.headers.authorization !== expected) {
      const challenge = `Bearer realm="${registry.url}/token",service="registry",scope="${scope}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
      return;
    }
    if (kind === 'manifests') {
      const manifest = manifests.get(`${repository}:${reference}`);
      // A registry that has the manifest in another type only has none for the client.
      if (manifest === undefined || !String(request.headers.accept).includes(MANIFEST)) {
        response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
        return;
      }
      response.setHeader('content-type', MANIFEST);
      response.setHeader('docker-content-digest', digestOf(manifest));
      response.end(manifest);
      return;
    }
    const blob = blobs.get(reference);
    if (blob === undefined) response.writeHead(404).end('{"errors":[{"code":"BLOB_UNKNOWN"}]}');
    else response.end(blob);
  };

  const server = await startHttpServer(handle);
  const registry: RegistryOfTest = {
    ...server,
    host: new URL(server.url).host,
    blobs,
    manifestOf: (repository, tag) => manifests.get(`${repository}:${tag}`),
    intercept: () => false,
    push: (repository, tag, chart, change = (manifest) => manifest) => {
      const config = Buffer.from('{"name":"chart"}');
      for (const blob of [config, chart]) blobs.set(digestOf(blob), blob);
      const layer = { mediaType: CHART_LAYER, digest: digestOf(chart), size: chart.length };
      const manifest = change({
        schemaVersion: 2,
        config: {
          mediaType: 'application/vnd.cncf.helm.config.v1+json',
          digest: digestOf(config),
          size: config.length,
        },
        layers: [layer],
      });
      const bytes = Buffer.from(JSON.stringify(manifest));
      manifests.set(`${repository}:${tag}`, bytes);
      manifests.set(`${repository}:${digestOf(bytes)}`, bytes);
      return digestOf(bytes);
    },
  };
  return registry;
}

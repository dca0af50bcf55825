import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, parseBoundedJson, textAt, valueAt } from '../../../../../framework/base/index.ts';
import { saveDownload } from './archive-source.ts';
import { refused, SourceError, type WantedRevision } from './chart-source.ts';
import {
  bearerFor,
  collect,
  requestsOf,
  type SourceHttp,
  type SourceHttpResponse,
  type TenantHttp,
} from './source-http.ts';
import { type UnpackJobs, unpackWith } from './unpack-jobs.ts';

/** The chart that a tag of a registry names now, as a revision of the cache. */
export async function ociRevision(
  { url, version, name }: { readonly url: URL; readonly version: string; readonly name: string },
  {
    http,
    scheme,
    jobs,
    tenant: asking,
  }: {
    readonly http: SourceHttp;
    readonly scheme: 'https' | 'http';
    readonly jobs: UnpackJobs;
    readonly tenant: string;
  },
  signal: AbortSignal,
): Promise<WantedRevision> {
  const reference = ociReferenceOf(url, version);
  const open = (tenant: string) => openRegistry(reference, { http: requestsOf(tenant, http), scheme });
  const ofAsking = open(asking);
  const layer = await ofAsking.chartLayer(signal);
  const source = `oci://${reference.host}/${reference.repository}`;
  const sha256 = layer.digest.slice('sha256:'.length);
  return {
    // A registry of others may name the same layer: what it gave, and how long it took, is not for those who ask another one.
    name: `${sha256}-${createHash('sha256').update(source).digest('hex').slice(0, 12)}-${name}`,
    source,
    revision: layer.digest,
    fetch: async ({ content, scratch, limits, tenant, signal: until }) => {
      // The registry has given its token to the tenant that asked.
      const registry = tenant === asking ? ofAsking : open(tenant);
      const file = join(scratch, 'layer');
      await saveDownload(await registry.layer(layer, limits.maxDownloadBytes, until), file, sha256);
      const job = { make: 'files of an archive', file, content, limits } as const;
      return { revision: layer.digest, ...(await unpackWith(jobs, job, { tenant, signal: until })) };
    },
  };
}

/** The limit of registries themselves. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_TOKEN_BYTES = 256 * 1024;

/** Reads one chart of a registry. */
interface OciRegistry {
  /** The layer with the chart that the tag or digest names now. */
  chartLayer(signal: AbortSignal): Promise<LayerDescriptor>;
  /** The bytes of the layer. Their digest is not checked yet. */
  layer(layer: LayerDescriptor, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * @param options.scheme `https`, or `http` where that is permitted
 */
function openRegistry(
  { host, repository, reference }: OciReference,
  { http, scheme }: { readonly http: TenantHttp; readonly scheme: 'https' | 'http' },
): OciRegistry {
  const base = `${scheme}://${host}/v2/${repository}`;
  let token: string | undefined;

  const fetchToken = async (header: string | undefined, signal: AbortSignal): Promise<string> => {
    const { realm, service, scope } = bearerChallengeOf(header, host);
    if (service !== undefined) realm.searchParams.set('service', service);
    realm.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
    const { body } = await http.send({ url: realm, maxBytes: MAX_TOKEN_BYTES }, signal);
    const answer = parseJson((await collect(body)).toString('utf8'), 'the token of the registry');
    const found = textAt(answer, 'token') || textAt(answer, 'access_token');
    if (!found) throw new SourceError('auth', `registry ${host} gave no token`);
    return found;
  };

  /** Asks again with a new token if the registry wants one: one of a minute may have expired while the layer waited to be fetched. */
  const get = async (path: string, accept: string, maxBytes: number, signal: AbortSignal) => {
    const request = (accepted: readonly number[]): Promise<SourceHttpResponse> => {
      const url = new URL(`${base}/${path}`);
      const credential = token === undefined ? undefined : bearerFor(url, token);
      return http.send({ url, headers: { accept }, credential, maxBytes, accept: accepted }, signal);
    };
    const answer = await request([401]);
    if (answer.status !== 401) return answer;
    await leave(answer.body);
    token = await fetchToken(answer.headers['www-authenticate'], signal);
    return await request([]);
  };

  return {
    chartLayer: async (signal) => {
      const response = await get(`manifests/${reference}`, MANIFEST_TYPES, MAX_MANIFEST_BYTES, signal);
      const bytes = await collect(response.body);
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      const stated = reference.startsWith('sha256:') ? reference : response.headers['docker-content-digest'];
      if (stated?.startsWith('sha256:') && stated !== digest) {
        throw refused(`the manifest of ${host}/${repository} has the digest ${digest}, not ${stated}`);
      }
      return chartLayerOf(parseJson(bytes.toString('utf8'), 'the manifest'), `${host}/${repository}`);
    },
    layer: async ({ digest, size }, maxBytes, signal) => {
      if (size > maxBytes) throw refused(`the layer of the chart is larger than ${maxBytes} bytes`);
      // A byte more than the manifest says is refused.
      return (await get(`blobs/${digest}`, '*/*', size, signal)).body;
    },
  };
}

/** A refusal that is read to its end leaves its connection to the next request. In its place a registry may send as much as a layer has. */
const MAX_REFUSAL_BYTES = 64 * 1024;

async function leave(body: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_REFUSAL_BYTES) return;
  }
}

function parseJson(text: string, what: string): unknown {
  try {
    return parseBoundedJson(text, { maxLength: MAX_MANIFEST_BYTES });
  } catch {
    throw refused(`${what} is not valid JSON, or too large`);
  }
}

/** Where a registry sends clients for a token (distribution token authentication). */
interface BearerChallenge {
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scope: string | undefined;
}

/** In characters. */
const MAX_HEADER = 4096;

/**
 * Reads `Bearer realm="…",service="…",scope="…"`, which may stand among challenges of other schemes.
 *
 * @throws SourceError of kind `auth` if there is none: the registry wants a user and a password
 */
function bearerChallengeOf(header: string | undefined, host: string): BearerChallenge {
  const parameters = parametersOf('bearer', (header ?? '').slice(0, MAX_HEADER));
  const realm = URL.parse(parameters.get('realm') ?? '');
  if (realm === null) throw new SourceError('auth', `registry ${host} does not give charts without a user`);
  return { realm, service: parameters.get('service'), scope: parameters.get('scope') };
}

/** A scheme, or a parameter with its value, quoted or not (RFC 9110, section 11.6.1). */
const CHALLENGE_PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g;

/** The parameters of the first challenge of a scheme; none if there is no such challenge. */
function parametersOf(scheme: string, header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let isOfScheme = false;
  for (const [, name = '', quoted, plain] of header.matchAll(CHALLENGE_PART)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) isOfScheme = parameters.size === 0 && name.toLowerCase() === scheme;
    else if (isOfScheme) parameters.set(name.toLowerCase(), value);
  }
  return parameters;
}

interface LayerDescriptor {
  /** `sha256:…` */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** What a client accepts for a tag: an artifact, not an index of platforms. */
const MANIFEST_TYPES = 'application/vnd.oci.image.manifest.v1+json';

/** Media types of Helm; the second was used until Helm 3.7. */
const CHART_LAYERS: readonly string[] = [
  'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  'application/tar+gzip',
];
const CHART_CONFIG = 'application/vnd.cncf.helm.config.v1+json';

/**
 * The layer of a manifest that has the chart.
 *
 * @throws SourceError if it is an image, an index, or has not exactly one such layer
 */
function chartLayerOf(manifest: unknown, name: string): LayerDescriptor {
  const layers = valueAt(manifest, ['layers']);
  const config = textAt(manifest, 'config', 'mediaType');
  if (!Array.isArray(layers) || config !== CHART_CONFIG) throw refused(`${name} is not a chart of Helm`);
  const charts = layers.filter((layer) => CHART_LAYERS.includes(textAt(layer, 'mediaType') ?? ''));
  const [layer] = charts;
  if (charts.length !== 1 || !isObject(layer))
    throw refused(`${name} has ${charts.length} layers with a chart, not one`);
  const digest = textAt(layer, 'digest');
  const size = valueAt(layer, ['size']);
  if (digest === undefined || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw refused(`${name} has a layer without a digest of SHA-256`);
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw refused(`${name} has a layer without a size`);
  }
  return { digest, size };
}

/** A chart in a registry (distribution specification, "Pulling manifests"). */
interface OciReference {
  readonly host: string;
  readonly repository: string;
  /** A tag, or a digest `sha256:…`. */
  readonly reference: string;
}

/** A part of the name of a repository, between two `/`. */
const repositoryPart = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const tagName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const digestName = /^sha256:[0-9a-f]{64}$/;
/** In characters. */
const MAX_REPOSITORY = 255;

/**
 * Reads `oci://host/repository`, with `:tag` or `@sha256:…` at its end. Without one the version is the tag; Helm stores a
 * `+` of a version as `_`.
 *
 * @throws SourceError of kind `terminal`
 */
function ociReferenceOf(url: URL, version: string): OciReference {
  const path = url.pathname.replace(/^\/+/, '');
  const [beforeDigest = '', digest] = path.split('@', 2);
  const colon = beforeDigest.lastIndexOf(':');
  const isTagged = colon > beforeDigest.lastIndexOf('/');
  const repository = isTagged ? beforeDigest.slice(0, colon) : beforeDigest;
  const reference = digest ?? (isTagged ? beforeDigest.slice(colon + 1) : version.replaceAll('+', '_'));
  if (
    repository.length > MAX_REPOSITORY ||
    !repository.split('/').every((part) => repositoryPart.test(part))
  ) {
    throw refused('the URL has no valid name of a repository of a registry');
  }
  if (!tagName.test(reference) && !digestName.test(reference)) {
    throw refused(`the chart ${url.host}/${repository} needs a tag or a digest sha256:…`);
  }
  return { host: DOCKER_HUB.includes(url.host) ? 'registry-1.docker.io' : url.host, repository, reference };
}

/** Names of Docker Hub, as Helm knows them. Its registry has another address; these have web pages. */
const DOCKER_HUB: readonly string[] = ['docker.io', 'index.docker.io'];

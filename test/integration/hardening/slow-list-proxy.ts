import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parse } from 'yaml';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';

/** Stands between the provider and an API server and holds back the lists of some kinds until they are released. */
export interface SlowListProxy {
  /** The given kubeconfig, with the proxy as its server. */
  readonly kubeconfig: string;
  /** Lists of this resource, such as `instancemappings.inventory.example.org`, wait from now on. */
  hold(resource: string): void;
  /** Releases all lists. */
  release(): void;
  /** Lists that wait. */
  held(): number;
  close(): Promise<void>;
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string } },
  ];
}

export async function startSlowListProxy(kubeconfig: string): Promise<SlowListProxy> {
  const config: Kubeconfig = parse(kubeconfig);
  const { server, 'certificate-authority-data': authority } = config.clusters[0].cluster;
  const ca = authority === undefined ? {} : { ca: Buffer.from(authority, 'base64') };
  const slow = new Set<string>();
  const waiting = new Set<() => void>();
  const forward = (from: IncomingMessage, to: ServerResponse) => {
    const url = new URL(from.url ?? '/', server);
    const { method, headers } = from;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const upstream = send(url, { method, headers: { ...headers, host: url.host }, ...ca }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      to.flushHeaders();
      answer.pipe(to);
    });
    upstream.on('error', () => to.destroy());
    to.on('close', () => upstream.destroy());
    from.pipe(upstream);
  };
  const proxy = createServer((from, to) => {
    if (!slow.has(listedResource(from))) return forward(from, to);
    waiting.add(() => forward(from, to));
  });
  const { url, close } = await listenOnLoopback(proxy);
  const release = () => {
    slow.clear();
    for (const release of waiting) release();
    waiting.clear();
  };
  return {
    kubeconfig: editKubeconfig(kubeconfig, {
      cluster: { server: url, 'certificate-authority-data': null },
    }),
    hold: (resource) => void slow.add(resource),
    release,
    held: () => waiting.size,
    close,
  };
}

/** `plural.group` of a list of all namespaces; empty for any other request. */
function listedResource({ url = '', method }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, group, plural] = /^\/apis\/([^/]+)\/[^/]+\/([^/]+)$/.exec(pathname) ?? [];
  return method === 'GET' && plural !== undefined && !searchParams.has('watch') ? `${plural}.${group}` : '';
}

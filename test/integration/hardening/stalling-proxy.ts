import { once } from 'node:events';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { parse } from 'yaml';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';

/**
 * A proxy before an API server that can hold back watch events, and responses to updates. It forwards everything else.
 */
export interface StallingProxy {
  /** The given kubeconfig, leading here. */
  readonly kubeconfig: string;
  /** Holds back events of watches whose path starts with `path`. Their connections stay open. */
  stall(path: string): void;
  /** Holds back responses to PUTs whose path starts with `path`. Their objects are stored. */
  stallUpdates(path: string): void;
  /** Releases everything that was held back. */
  resume(): void;
  /** How many chunks of watches were held back so far. */
  heldBack(): number;
  close(): Promise<void>;
}

/** @param kubeconfig of a user with a token: client certificates do not work through a proxy */
export async function startStallingProxy(kubeconfig: string): Promise<StallingProxy> {
  const upstream = upstreamOf(kubeconfig);
  const authority = await createAuthority('stalling proxy');
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);
  const agent = new Agent({ keepAlive: true, ca: upstream.ca });
  let stalled: string | undefined;
  let stalledUpdates: string | undefined;
  let heldBack = 0;
  const waiting: (() => void)[] = [];

  const watchStream = (url: string) =>
    new Transform({
      transform: (chunk, _encoding, forward) => {
        if (stalled === undefined || !url.startsWith(stalled)) return forward(null, chunk);
        heldBack++;
        waiting.push(() => forward(null, chunk));
      },
    });
  const server = createServer({ cert: certificate, key }, (incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    const forwarded = request(new URL(url, upstream.server), { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      const isWatch = new URL(url, upstream.server).searchParams.has('watch');
      const isStalled = method === 'PUT' && stalledUpdates !== undefined && url.startsWith(stalledUpdates);
      if (isWatch) answer.pipe(watchStream(url)).pipe(outgoing);
      else if (isStalled) waiting.push(() => answer.pipe(outgoing));
      else answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const caData = Buffer.from(authority.certificate).toString('base64');
  return {
    kubeconfig: editKubeconfig(kubeconfig, {
      cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': caData },
    }),
    stall: (path) => {
      stalled = path;
    },
    stallUpdates: (path) => {
      stalledUpdates = path;
    },
    resume: () => {
      stalled = undefined;
      stalledUpdates = undefined;
      for (const forward of waiting.splice(0)) forward();
    },
    heldBack: () => heldBack,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

function upstreamOf(kubeconfig: string): { readonly server: string; readonly ca: Buffer } {
  interface Kubeconfig {
    readonly clusters: [
      { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
    ];
  }
  const { clusters }: Kubeconfig = parse(kubeconfig);
  const [{ cluster }] = clusters;
  return { server: cluster.server, ca: Buffer.from(cluster['certificate-authority-data'], 'base64') };
}

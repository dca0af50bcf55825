import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { createSecureContext } from 'node:tls';
import { parse } from 'yaml';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import { editKubeconfig } from '../access/kubeconfigs.ts';
import {
  createProxyRules,
  type ProxiedRequest,
  type ProxyRule,
  type ProxyRuleHandle,
  status,
} from './proxy-rules.ts';

/** A proxy before an API server, with faults by rule. It forwards everything else. */
export interface ApiProxy {
  /** The given kubeconfig, leading here. */
  readonly kubeconfig: string;
  /** The first rule that matches a request decides; those that stall watches apply besides. */
  add(rule: ProxyRule): ProxyRuleHandle;
  /** Removes all rules, and releases everything that was held back. */
  resume(): void;
  /** How many chunks of watches were held back so far. */
  stalledChunks(): number;
  /** Ends the open watches whose path starts with `path` as if their version had expired; returns how many these were. */
  expireWatches(path: string): number;
  /** From now on it has a certificate of another authority, which `kubeconfig` names. Its connections are closed. */
  rotateAuthority(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param kubeconfig of a user with a token: client certificates do not work through a proxy
 * @param token of the user whose requests those without a token are; default: they stay as they are
 */
export async function startApiProxy(
  kubeconfig: string,
  { token }: { readonly token?: string } = {},
): Promise<ApiProxy> {
  const upstream = upstreamOf(kubeconfig);
  const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const agent = new Agent({ keepAlive: true, secureContext: createSecureContext({ ca: upstream.ca }) });
  const rules = createProxyRules();
  const held: (() => void)[] = [];
  let stalledChunks = 0;
  /** Open watches and their paths. */
  const watches = new Map<ServerResponse, string>();
  /** Responses to reads by URL. */
  const recorded = new Map<string, string>();
  let identity = await newIdentity();

  const send = (proxied: ProxiedRequest, { headers }: IncomingMessage) => {
    const { 'transfer-encoding': _, ...kept } = headers;
    const { method, url, body } = proxied;
    return request(new URL(url, upstream.server), {
      method,
      headers: { ...credentials, ...kept },
      agent,
    }).end(body);
  };
  const watchStream = (proxied: ProxiedRequest) =>
    new Transform({
      transform: (chunk, _encoding, forward) => {
        if (!rules.isStalled(proxied)) return forward(null, chunk);
        stalledChunks++;
        held.push(() => forward(null, chunk));
      },
    });
  const forward = (
    proxied: ProxiedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    isHeld: boolean,
  ) => {
    if (outgoing.destroyed) return;
    const forwarded = send(proxied, incoming);
    forwarded.on('response', (answer: IncomingMessage) => {
      answer.on('error', () => outgoing.destroy());
      const respond = () => {
        if (outgoing.destroyed) return;
        if (proxied.isWatch) watches.set(outgoing, proxied.path);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        if (proxied.isWatch) answer.pipe(watchStream(proxied)).pipe(outgoing);
        else answer.pipe(outgoing);
      };
      if (isHeld) held.push(respond);
      else respond();
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
  };
  const read = async (proxied: ProxiedRequest, incoming: IncomingMessage): Promise<string> => {
    const [answer] = (await once(send(proxied, incoming), 'response')) as [IncomingMessage];
    return textOf(answer);
  };
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '/', method = 'GET' } = incoming;
    const { pathname: path, searchParams } = new URL(url, upstream.server);
    const isWatch = searchParams.has('watch');
    const body = method === 'GET' ? '' : await textOf(incoming);
    const proxied = { url, path, method, body, isWatch };
    outgoing.on('close', () => watches.delete(outgoing));
    // A watch that has expired may get more events.
    outgoing.on('error', () => undefined);
    const action = rules.meet(proxied);
    if (action?.kind === 'answer') {
      respondJson(outgoing, action.status, JSON.stringify(action.body));
    } else if (action?.kind === 'replay') {
      const known = recorded.get(url) ?? (await read(proxied, incoming));
      recorded.set(url, known);
      respondJson(outgoing, 200, known);
    } else if (action?.kind === 'hold' && action.when === 'before') {
      held.push(() => forward(proxied, incoming, outgoing, false));
    } else forward(proxied, incoming, outgoing, action?.kind === 'hold');
  };
  const server = createServer(identity.pair, (incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    get kubeconfig() {
      const caData = Buffer.from(identity.authority).toString('base64');
      return editKubeconfig(kubeconfig, {
        cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': caData },
      });
    },
    add: rules.add,
    resume: () => {
      rules.clear();
      recorded.clear();
      for (const release of held.splice(0)) release();
    },
    stalledChunks: () => stalledChunks,
    expireWatches: (path) => {
      const open = [...watches].filter(([, of]) => of.startsWith(path));
      const object = status(410, 'Expired', 'too old resource version');
      for (const [watch] of open) watch.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      return open.length;
    },
    rotateAuthority: async () => {
      identity = await newIdentity();
      server.setSecureContext(identity.pair);
      server.closeAllConnections();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

async function newIdentity() {
  const authority = await createAuthority('proxy of an API server');
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);
  return { authority: authority.certificate, pair: { cert: certificate, key } };
}

function respondJson(response: ServerResponse, code: number, body: string): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(body);
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

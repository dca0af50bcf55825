import { Agent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { parse } from 'yaml';
import { type HttpJsonAnswer, type HttpJsonOptions, httpJson } from './http-json.ts';

export type ApiRequestOptions = Pick<
  HttpJsonOptions,
  'method' | 'body' | 'text' | 'contentType' | 'accept' | 'timeoutMs'
>;

/** Sends one request to an API path, such as `/api/v1/namespaces`. No status throws. */
export type ApiRequest = (path: string, options?: ApiRequestOptions) => Promise<HttpJsonAnswer>;

interface KubeconfigText {
  readonly clusters: [{ readonly cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: [
    {
      readonly user:
        | { readonly token: string }
        | { readonly 'client-certificate-data': string; readonly 'client-key-data': string };
    },
  ];
}

/** Idle connections do not keep Node alive; this is for servers that end meanwhile. */
const IDLE_MS = 30_000;
/** Each costs a TLS handshake, which is more than many requests. */
const MAX_CONNECTIONS = 8;

/**
 * Sends requests to an API server as the user of a kubeconfig that `renderKubeconfig` wrote. For tests that must not
 * rely on the client under test.
 */
export function apiRequester(kubeconfig: string): ApiRequest {
  const { clusters, users }: KubeconfigText = parse(kubeconfig);
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const client =
    'token' in user
      ? {}
      : { cert: decode(user['client-certificate-data']), key: decode(user['client-key-data']) };
  const secureContext = createSecureContext({ ca: decode(cluster['certificate-authority-data']), ...client });
  const agent = new Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxSockets: MAX_CONNECTIONS,
    secureContext,
  });
  const token = 'token' in user ? { token: user.token } : {};
  return (path, options = {}) => httpJson({ url: `${cluster.server}${path}`, ...token, agent, ...options });
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString();

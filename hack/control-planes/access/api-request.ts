import { Agent } from 'node:https';
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
  readonly users: [{ readonly user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

/** Idle connections do not keep Node alive; this is for servers that end meanwhile. */
const IDLE_MS = 5000;

/**
 * Sends requests to an API server as the user of a kubeconfig that `renderKubeconfig` wrote. For tests that must not
 * rely on the client under test.
 */
export function apiRequester(kubeconfig: string): ApiRequest {
  const { clusters, users }: KubeconfigText = parse(kubeconfig);
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const tls = {
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  return (path, options = {}) => httpJson({ url: `${cluster.server}${path}`, ...tls, agent, ...options });
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString();

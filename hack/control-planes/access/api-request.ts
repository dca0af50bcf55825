import { parse } from 'yaml';
import { type HttpJsonAnswer, type HttpJsonOptions, httpJson } from './http-json.ts';

export type ApiRequestOptions = Pick<
  HttpJsonOptions,
  'method' | 'body' | 'contentType' | 'accept' | 'timeoutMs'
>;

/** Sends one request to an API path, such as `/api/v1/namespaces`. No status throws. */
export type ApiRequest = (path: string, options?: ApiRequestOptions) => Promise<HttpJsonAnswer>;

interface KubeconfigText {
  readonly clusters: [{ readonly cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: [{ readonly user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

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
  return (path, options = {}) => httpJson({ url: `${cluster.server}${path}`, ...tls, ...options });
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString();

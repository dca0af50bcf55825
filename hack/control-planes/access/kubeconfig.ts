import { stringify } from 'yaml';
import type { KeyPair } from './authority.ts';

/** A bearer token. */
interface Token {
  readonly token: string;
}

export interface KubeconfigOptions {
  /** Names the cluster and the context. */
  readonly cluster: string;
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly authority: string;
  readonly user: string;
  readonly client: KeyPair | Token;
}

/** A self-contained kubeconfig: all credentials inline, no file paths. */
export function renderKubeconfig({ cluster, server, authority, user, client }: KubeconfigOptions): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user:
          'token' in client
            ? { token: client.token }
            : {
                'client-certificate-data': base64(client.certificate),
                'client-key-data': base64(client.key),
              },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user } }],
    'current-context': cluster,
  });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import { stringify } from 'yaml';
import { KubeconfigError } from './kubeconfig-document.ts';
import { parseUntrustedKubeconfig } from './untrusted-kubeconfig.ts';

export interface Parts {
  readonly cluster: Record<string, unknown>;
  readonly user: Record<string, unknown>;
}

export const good: Parts = {
  cluster: { server: 'https://api.kyma.example' },
  user: { token: 'a-bearer-token' },
};

/** A kubeconfig in the form that kubectl writes. */
export function kubeconfig({ cluster, user }: Parts, more: Record<string, unknown> = {}): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'kyma',
    contexts: [{ name: 'kyma', context: { cluster: 'c1', user: 'u1' } }],
    clusters: [{ name: 'c1', cluster }],
    users: [{ name: 'u1', user }],
    ...more,
  });
}

export const withUser = (user: Record<string, unknown>) => kubeconfig({ ...good, user });
export const withCluster = (more: Record<string, unknown>) =>
  kubeconfig({ ...good, cluster: { ...good.cluster, ...more } });

export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A certificate with its key, as PEM. */
export async function selfSigned(): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    signingAlgorithm: algorithm,
    keys,
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: cert.toString('pem'), key };
}

/** The error that refuses the kubeconfig. */
export function refusalOf(text: string): KubeconfigError {
  try {
    parseUntrustedKubeconfig(text);
  } catch (error) {
    if (error instanceof KubeconfigError) return error;
    throw error;
  }
  throw new Error('the kubeconfig was accepted');
}

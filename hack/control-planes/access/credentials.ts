import { generateKeyPair, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AUDIT_POLICY, OWN_USERS } from '../server-flags.ts';
import { FILES } from './access.ts';
import { type Authority, createAuthority } from './authority.ts';
import { type KubeconfigOptions, renderKubeconfig } from './kubeconfig.ts';

/** Renders the kubeconfig of a user for a server that may not run yet. */
export type KubeconfigFor = (user: 'admin' | keyof typeof OWN_USERS, server: string) => string;

export interface Credentials {
  /** Signs the certificates of the server and of its clients. */
  readonly authority: Authority;
  readonly kubeconfigFor: KubeconfigFor;
}

/**
 * Writes the certificates and kubeconfigs of the servers of the control plane `name` into `directory`.
 *
 * @param serverNames of the API server, besides those of this machine
 */
export async function writeCredentials(
  name: string,
  directory: string,
  serverNames: readonly string[] = [],
): Promise<Credentials> {
  const authority = await createAuthority('control-plane-authority');
  const frontProxyAuthority = await createAuthority('front-proxy-authority');
  const admin = { token: randomUUID() };
  const issue = (user: string) => authority.issueClient(user, ['system:masters']);
  const [server, frontProxy, serviceAccounts, controllers, probe] = await Promise.all([
    authority.issueServer(['127.0.0.1', 'localhost', 'kubernetes.default.svc', ...serverNames]),
    frontProxyAuthority.issueClient('front-proxy'),
    createServiceAccountKeys(),
    issue(OWN_USERS.controllers),
    issue(OWN_USERS.probe),
  ]);
  const files = {
    authority: authority.certificate,
    authorityKey: authority.key,
    serverCertificate: server.certificate,
    serverKey: server.key,
    frontProxyAuthority: frontProxyAuthority.certificate,
    frontProxyCertificate: frontProxy.certificate,
    frontProxyKey: frontProxy.key,
    serviceAccountsPublicKey: serviceAccounts.publicKey,
    serviceAccountsKey: serviceAccounts.privateKey,
    // An API server verifies a certificate anew at each request, which is a twentieth of its CPU time; a token it remembers.
    tokens: `${admin.token},admin,admin,system:masters\n`,
    auditPolicy: JSON.stringify(AUDIT_POLICY),
  } satisfies Partial<Record<keyof typeof FILES, string>>;
  await Promise.all(
    (Object.keys(files) as (keyof typeof files)[]).map((file) => writePrivate(directory, file, files[file])),
  );
  const clients: Readonly<Record<Parameters<KubeconfigFor>[0], KubeconfigOptions['client']>> = {
    admin,
    controllers,
    probe,
  };
  const kubeconfigFor: KubeconfigFor = (user, url) =>
    renderKubeconfig({
      cluster: name,
      server: url,
      authority: authority.certificate,
      user: user === 'admin' ? user : OWN_USERS[user],
      client: clients[user],
    });
  return { authority, kubeconfigFor };
}

/** Writes one of the control plane's files, readable by its owner only. */
export const writePrivate = (directory: string, file: keyof typeof FILES, text: string): Promise<void> =>
  writeFile(join(directory, FILES[file]), text, { mode: 0o600 });

/** API servers accept RSA and ECDSA here; RSA is what clusters have. */
const createServiceAccountKeys = () =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

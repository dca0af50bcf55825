import { join } from 'node:path';
import { createAuthority } from '../../../../../hack/control-planes/access/authority.ts';
import { configMapManifest, namespaceManifest } from '../../../../environment/manifests.ts';
import { tool } from '../../../../environment/tool.ts';
import { bundleSimulator } from '../../../simulator/bundle-simulator.ts';
import { applyManifests } from '../../apply-manifests.ts';
import { type PodsOptions, ROOT } from '../../pods-options.ts';

/** Also that of test/e2e/manifests/reconciler-systems.yaml. */
const PLACE = 'reconciler-systems';
export const ISSUER_IMAGE = 'openid-provider:e2e';
export const ISSUER = `https://issuer.${PLACE}.svc:8443`;
/** Of Postgres, with its login, as in a URL. */
export const POSTGRES = `kyma:not-a-real-one@postgres.${PLACE}.svc:5432`;
export const CLIENT = { clientid: 'operator', clientsecret: 'not-a-real-one' } as const;

const kubectl = (...args: string[]) => tool('kubectl', args);

/** Postgres and an OpenID provider in pods. Returns the authority of their certificates, as PEM. */
export async function startReconcilerSystems(options: PodsOptions): Promise<string> {
  const { cluster, directory } = options;
  const folder = join(directory, 'issuer');
  await bundleSimulator(folder, 'issuer');
  await cluster.addProgram(ISSUER_IMAGE, folder);
  await cluster.addPostgres();
  const authority = await createAuthority('reconciler systems');
  const pair = await authority.issueServer(['issuer', 'postgres'].map((name) => `${name}.${PLACE}.svc`));
  await applyManifests([
    namespaceManifest(PLACE),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'certificate', namespace: PLACE },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
    },
  ]);
  await kubectl('apply', '--filename', join(ROOT, 'test/e2e/manifests/reconciler-systems.yaml'));
  await kubectl('wait', 'deployment', '--all', `-n=${PLACE}`, '--for=condition=Available', '--timeout=5m');
  return authority.certificate;
}

export const stopReconcilerSystems = () => kubectl('delete', 'namespace', PLACE, '--timeout=5m');

/** The authorities as a volume of a pod. */
export const trust = {
  file: '/trust/ca.pem',
  manifest: (namespace: string, pem: string) =>
    configMapManifest({ name: 'trust', namespace }, { 'ca.pem': pem }),
  volumes: [{ name: 'trust', configMap: { name: 'trust' } }],
  volumeMounts: [{ name: 'trust', mountPath: '/trust', readOnly: true }],
} as const;

/** A token of the operator. */
export async function operatorToken(): Promise<string> {
  const login = Buffer.from(Object.values(CLIENT).join(':')).toString('base64');
  const script = `
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    const answer = await fetch('https://localhost:8443/token', {
      method: 'POST', body: form, headers: { authorization: 'Basic ${login}' } });
    process.stdout.write((await answer.json()).access_token);`;
  const node = ['/nodejs/bin/node', '--no-warnings', '--input-type=module', '--eval', script];
  return kubectl('exec', 'deployment/issuer', `-n=${PLACE}`, '--', ...node);
}

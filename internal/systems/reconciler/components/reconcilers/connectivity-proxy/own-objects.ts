import { X509Certificate } from 'node:crypto';
import {
  configMaps,
  type ObjectKey,
  type Secret,
  secrets,
  undefinedIfExists,
} from '../../../../../framework/kube/index.ts';
import type { ActionContext } from '../../model/component.ts';
import { FIELD_MANAGER } from '../../objects/managed-fields.ts';
import { deleteObject, findObject, KYMA_SYSTEM, secretText } from '../objects.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal' | 'clock'>;

/** The Service that the certificate is for. */
const MAPPING_HOST = `connectivity-proxy-smv.${KYMA_SYSTEM}.svc`;
/** A certificate with less time left is replaced, in ms. */
const RENEW_MS = 30 * 24 * 60 * 60_000;

/** The certificate of the mapping operator, made if there is none or it is about to expire; returns its authority. */
export async function ensureCertificate(context: Context): Promise<string> {
  const live = await findObject(context, secrets, TLS);
  const known = live && secretText(live, 'ca.crt');
  const nowMs = context.clock.now();
  if (known !== undefined && lasts(known, nowMs + RENEW_MS)) return known;
  const { certificate, key } = selfSignedCertificate(MAPPING_HOST, nowMs);
  await applySecret(context, TLS, { 'tls.crt': certificate, 'ca.crt': certificate, 'tls.key': key });
  return certificate;
}

function lasts(pem: string, untilMs: number): boolean {
  try {
    return new X509Certificate(pem).validToDate.getTime() > untilMs;
  } catch {
    return false;
  }
}

/** The ConfigMap of service mappings is the operator's as soon as it is there. */
export async function ensureMappings({ cluster, signal }: Context): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: MAPPINGS, data: { servicemappings: '{}' } };
  await cluster.client.create(configMaps, object, { signal }).catch(undefinedIfExists);
}

/** Creates or changes a Secret with these texts. */
export async function applySecret(
  { cluster, signal }: Pick<Context, 'cluster' | 'signal'>,
  key: ObjectKey,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...key }, type: 'Opaque', data };
  await cluster.client.apply(secrets, secret, { fieldManager: FIELD_MANAGER, force: true, signal });
}

/** What the reconciler has created, and what the gateway of Istio has of it. */
export async function deleteOwnObjects(context: Context & Pick<ActionContext, 'task'>): Promise<void> {
  const istio = ['cc-certs', 'cc-certs-cacert'].map((name) => ({ name, namespace: 'istio-system' }));
  for (const key of [...istio, TLS, SERVICE_KEY]) await deleteObject(context, secrets, key);
  await deleteObject(context, configMaps, MAPPINGS);
}

/** Objects that the reconciler itself creates. */
export const TLS = { name: 'connectivity-sm-operator-secrets-tls', namespace: KYMA_SYSTEM };
export const MAPPINGS = { name: 'connectivity-proxy-service-mappings', namespace: KYMA_SYSTEM };
export const SERVICE_KEY = { name: 'connectivity-proxy-service-key', namespace: KYMA_SYSTEM };
/** The configuration of the proxy, of its chart. */
export const CONFIGURATION = { name: 'connectivity-proxy', namespace: KYMA_SYSTEM };

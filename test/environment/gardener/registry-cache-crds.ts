import { crdOf } from '../crd-of.ts';
import type { Crd } from '../install-crds.ts';

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

const crd = (group: string, version: string, kind: string, properties: object): Crd =>
  crdOf({ group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true }, object(properties));

const condition = object({
  type: text,
  status: text,
  reason: text,
  message: text,
  lastTransitionTime: text,
});

/** Kinds of the module registry-cache, and of the lifecycle manager, as runtimes have them. */
export const registryCacheCrds: readonly Crd[] = [
  crd('core.kyma-project.io', 'v1beta1', 'RegistryCacheConfig', {
    spec: object(
      {
        upstream: text,
        remoteURL: text,
        secretReferenceName: text,
        volume: object({ size: text, storageClassName: text }),
        garbageCollection: object({ ttl: text }),
        proxy: object({ httpProxy: text, httpsProxy: text }),
        http: object({ tls: { type: 'boolean' } }),
      },
      ['upstream'],
    ),
    status: object({
      state: { type: 'string', enum: ['Pending', 'Ready', 'Terminating', 'Failed'] },
      conditions: { type: 'array', items: condition },
    }),
  }),
  crd('operator.kyma-project.io', 'v1beta2', 'Kyma', {
    spec: object({ modules: { type: 'array', items: object({ name: text }) } }),
  }),
];

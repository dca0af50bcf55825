import type { Crd } from '../install-crds.ts';

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

/** CustomConfigs as the module kim-snatch installs them into runtimes. */
export const customConfigCrd: Crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'customconfigs.core.kyma-project.io' },
  spec: {
    group: 'core.kyma-project.io',
    scope: 'Namespaced',
    names: { kind: 'CustomConfig', plural: 'customconfigs', singular: 'customconfig' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: object({
            spec: object({
              caches: {
                type: 'array',
                items: object(
                  {
                    upstream: text,
                    remoteURL: text,
                    secretReferenceName: text,
                    volume: object({ size: text, storageClassName: text }),
                    garbageCollection: object({ ttl: text }),
                    proxy: object({ httpProxy: text, httpsProxy: text }),
                  },
                  ['upstream'],
                ),
              },
            }),
          }),
        },
      },
    ],
  },
} as unknown as Crd;

import { createServer } from 'node:http';
import { expect } from '@jest/globals';
import {
  kymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  namespacedProviderConfigs,
  providerConfig,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { listenOnLoopback } from '../../../../internal/framework/base/loopback.fixture.ts';
import { namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { getCondition } from '../../../../internal/framework/managed/index.ts';
import { eventually } from '../../../environment/eventually.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { type AttackedSystem, foreignMetadata, ODD_NAMES, times } from './attacked-system.ts';
import { honestMothership } from './honest-mothership.ts';
import { alive, limitOf } from './limits.ts';
import { HOSTILE, type TenantEnvironment } from './tenant-environment.ts';

const type = kymaClusterTypes.namespaced;

/** KymaClusters of namespaces, whose ProviderConfigs name their motherships. */
export async function kymaClusters(environment: TenantEnvironment): Promise<AttackedSystem> {
  const { objects: honest, hostileObjects: objects, hosts, labels, provider, defer } = environment;
  const mothership = await listenOnLoopback(createServer(honestMothership()));
  defer(mothership.close);
  const objectsIn = (namespace: string) =>
    HOSTILE.some((hostile) => hostile === namespace) ? objects : honest;
  const kubeconfig = (namespace: string) =>
    objectsIn(namespace).apply(
      secrets,
      secretManifest({ namespace, name: 'kubeconfig' }, { config: 'kubeconfig: 1' }),
    );
  const configure = (
    namespace: string,
    name: string,
    url: string,
    credentials: object = { source: 'None' },
  ) =>
    objectsIn(namespace).apply(
      namespacedProviderConfigs,
      providerConfig({ name, namespace, spec: { url, credentials } as never }),
    );
  const clusterOf = (
    namespace: string,
    name: string,
    config: string,
    more: object = {},
    metadata: object = {},
  ) => {
    const cluster = kymaCluster({
      ...{ name, namespace, labels },
      spec: {
        providerConfigRef: { kind: 'ProviderConfig', name: config },
        forProvider: { version: '2.20.0', kubeconfigSecretRef: { name: 'kubeconfig' }, ...more },
      },
    });
    return { ...cluster, metadata: { ...cluster.metadata, ...metadata } };
  };
  const [own] = HOSTILE;
  const at = async (url: string, name: string, more: object = {}, metadata: object = {}) => {
    await configure(own, name, url);
    await objects.apply(type, clusterOf(own, name, name, more, metadata));
  };
  const text = (length: number) => 'x'.repeat(length);
  for (const namespace of HOSTILE) await kubeconfig(namespace);

  return {
    name: 'KymaClusters',
    meter: provider.meter,
    memoryLimit: limitOf.provider,
    prepare: async (tenant) => {
      await honest.apply(namespaces, namespaceManifest(tenant));
      await kubeconfig(tenant);
      await configure(tenant, 'default', mothership.url);
      const key = { namespace: tenant, name: uniqueName('shop') };
      return {
        perform: async () => {
          await honest.apply(type, clusterOf(tenant, key.name, 'default'));
          await eventually(async () =>
            expect(getCondition(await honest.get(type, key), 'Ready')?.status).toBe('True'),
          );
        },
        remove: async () => {
          await honest.delete(type, key);
          await eventually(async () => expect(await honest.find(type, key)).toBeUndefined());
        },
      };
    },
    attacks: {
      'motherships of hosts': ({ scaled, newName, nextHost }) =>
        scaled(260, () => at(nextHost().url, newName())),
      'motherships of many silent hosts': ({ scaled, newName }) =>
        scaled(300, () => at(`https://${hosts.nextSilent()}`, newName())),
      'logins of hosts': ({ scaled, newName, nextHost }) =>
        scaled(200, async () => {
          const name = newName();
          const { url } = nextHost();
          await objects.apply(
            secrets,
            secretManifest(
              { namespace: own, name },
              { credentials: JSON.stringify({ clientID: name, clientSecret: 's', tokenURL: url }) },
            ),
          );
          await configure(own, name, Math.random() < 0.5 ? url : hosts.grants.url, {
            source: 'Secret',
            secretRef: { name, key: 'credentials' },
          });
          await objects.apply(type, clusterOf(own, name, name));
        }),
      'configurations of a megabyte': ({ scaled, newName, nextHost }) =>
        scaled(60, () =>
          at(nextHost().url, newName(), {
            components: Array.from({ length: 200 }, (_, n) => ({
              component: `c${n}`,
              configuration: Array.from({ length: 20 }, (_, key) => ({
                key: `a.b.k${key}`,
                value: text(150),
              })),
            })),
          }),
        ),
      'values that are JSON': ({ scaled, newName, nextHost }) =>
        scaled(60, () =>
          at(nextHost().url, newName(), {
            components: [
              {
                component: 'c',
                configuration: [
                  { key: 'a', value: `${'['.repeat(400_000)}`, format: 'JSON' },
                  { key: `a${'.a'.repeat(500)}`, value: `[${'{},'.repeat(100_000)}1]`, format: 'JSON' },
                ],
              },
            ],
          }),
        ),
      'annotations of 240 KB': ({ scaled, newName, nextHost }) =>
        scaled(150, () => at(nextHost().url, newName(), {}, { annotations: { a: text(240_000) } })),
      'owners, finalizers and names of a restored dump': ({ scaled, newName, nextHost }) =>
        scaled(60, (n) => {
          const annotations = { 'crossplane.io/external-name': ODD_NAMES[n % ODD_NAMES.length] };
          return at(nextHost().url, newName(), {}, { ...foreignMetadata(n), annotations });
        }),
      'configurations that change': ({ scaled, newName, nextHost, signal }) =>
        scaled(5, async () => {
          const name = newName();
          await configure(own, name, nextHost().url);
          await times(40, (n) => objects.apply(type, clusterOf(own, `${name}-${n}`, name)));
          for (let n = 0; n < 30 && !signal.aborted; n++)
            await configure(own, name, `${nextHost().url}/${n}`);
        }),
      'ids of others': ({ scaled, newName }) =>
        scaled(100, async (n) => {
          await at(mothership.url, newName(), { runtimeID: `${own}/${'%2F..'.repeat(n % 20)}` });
        }),
      'kubeconfigs that are large or change': ({ scaled, newName, nextHost, signal }) =>
        scaled(4, async () => {
          const name = newName();
          await times(20, (n) => at(nextHost().url, `${name}-${n}`, { kubeconfigSecretRef: { name } }));
          for (let n = 0; n < 40 && !signal.aborted; n++)
            await objects.apply(
              secrets,
              secretManifest(
                { namespace: own, name },
                { config: `# ${n}\n${'- {a: [b]}\n'.repeat(60_000)}` },
              ),
            );
        }),
    },
    clean: async () => {
      await environment.remove(type, namespacedProviderConfigs, secrets);
      for (const namespace of HOSTILE) await kubeconfig(namespace);
    },
    expectAlive: () => alive(provider),
  };
}

import {
  apiVersionOf,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { instanceMappingTypes } from '../../../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { type AttackedSystem, foreignMetadata, ODD_NAMES, times, type Variation } from './attacked-system.ts';
import { kubeconfigOf } from './hostile-hosts.ts';
import { alive, limitOf } from './limits.ts';
import { HOSTILE, type TenantEnvironment } from './tenant-environment.ts';

const kyma = kymaInstanceMappingTypes.namespaced;
const raw = instanceMappingTypes.namespaced;

/** KymaInstanceMappings and InstanceMappings of namespaces. */
export function mappings(environment: TenantEnvironment): AttackedSystem {
  const { hostileObjects: objects, hosts, labels, provider } = environment;
  const apply = (type: ResourceType, metadata: object & { name: string; namespace?: string }, spec: object) =>
    objects.apply(type, {
      ...{ apiVersion: apiVersionOf(type), kind: type.kind, spec },
      metadata: { labels, namespace: HOSTILE[0], ...metadata },
    });
  const secret = async (
    name: string,
    data: Readonly<Record<string, string>>,
    namespace: string = HOSTILE[0],
  ) => {
    await objects.apply(secrets, secretManifest({ namespace, name }, data));
    return { name };
  };
  const kymaSpec = (secretRef: { name: string }, namespace = 'shop') => ({
    forProvider: {
      serviceInstanceRef: { name: 'hana', namespace },
      adminBindingRef: { name: 'hana-admin', namespace },
      clusterIdConfigMapRef: { name: 'cluster-id', namespace },
      kymaConnectionRef: { secretRef },
    },
  });
  /** At the cluster of a kubeconfig. */
  const remote = async (name: string, kubeconfig: string, metadata: object = {}) =>
    apply(kyma, { ...metadata, name }, kymaSpec(await secret(name, { kubeconfig })));
  const rawSpec = (name: string, more: object = {}) => ({
    forProvider: {
      ...{ serviceInstanceID: `i-${name}`, platform: 'kubernetes', primaryID: `c-${name}` },
      adminCredentialsSecretRef: { name, key: 'credentials' },
      ...more,
    },
  });
  /** With credentials of hosts. */
  const withCredentials = async (name: string, baseurl: string, token: string, more: object = {}) => {
    const uaa = { url: token, clientid: name, clientsecret: 's' };
    await secret(name, { credentials: JSON.stringify({ baseurl, uaa }) });
    await apply(raw, { name }, rawSpec(name, more));
  };
  const text = (length: number, unit = 'x') => unit.repeat(length);

  return {
    name: 'mappings',
    meter: provider.meter,
    memoryLimit: limitOf.provider,
    prepare: async () => {
      const scenario = await environment.scenario({ scope: 'namespaced' });
      await scenario.applySources();
      return {
        perform: async () => {
          await scenario.create();
          await scenario.untilReady();
        },
        remove: async () => {
          await scenario.delete();
          await scenario.untilGone();
          await scenario.removeKubeconfig();
        },
      };
    },
    attacks: {
      'kubeconfigs of hosts': ({ scaled, newName, nextHost }) =>
        scaled(200, () => remote(newName(), nextHost().kubeconfig('t'))),
      'kubeconfigs of many silent hosts': ({ scaled, newName }) =>
        scaled(300, () => remote(newName(), kubeconfigOf(`https://${hosts.nextSilent()}`))),
      'credentials of hosts': ({ scaled, newName, nextHost }) =>
        scaled(200, () => {
          const { url } = nextHost();
          return withCredentials(newName(), url, Math.random() < 0.5 ? url : hosts.grants.url);
        }),
      'credentials of many silent hosts': ({ scaled, newName }) =>
        scaled(300, () => {
          const url = `https://${hosts.nextSilent()}`;
          return withCredentials(newName(), url, url);
        }),
      'annotations of 240 KB': ({ scaled, newName, nextHost }) =>
        scaled(150, () =>
          remote(newName(), nextHost().kubeconfig('t'), { annotations: { a: text(240_000) } }),
        ),
      'annotations that change': ({ scaled, newName, nextHost, signal }) =>
        scaled(20, async () => {
          const name = newName();
          await remote(name, nextHost().kubeconfig('t'));
          for (let n = 0; n < 50 && !signal.aborted; n++) {
            const annotations = { [`a${n % 3}`]: `${n}${text(80_000)}` };
            await objects.patch(kyma, { namespace: HOSTILE[0], name }, { metadata: { annotations } });
          }
        }),
      'thousands of labels and annotations': ({ scaled, newName, nextHost }) =>
        scaled(60, () => {
          const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`a.example/${n}`, `${n}`]));
          return remote(newName(), nextHost().kubeconfig('t'), {
            annotations: many,
            labels: { ...many, ...labels },
          });
        }),
      'kubeconfigs that are large': ({ scaled, newName }) =>
        scaled(60, (n) => remote(newName(), largeKubeconfigs[n % largeKubeconfigs.length]?.() ?? '')),
      'credentials that are large': ({ scaled, newName, nextHost }) =>
        scaled(60, async (n) => {
          const name = newName();
          const { url } = nextHost();
          const uaa = { url, clientid: text(60_000), clientsecret: text(60_000, '"'), key: text(60_000) };
          const forms = [
            JSON.stringify({ baseurl: url, uaa }),
            '['.repeat(200_000),
            `{"uaa":[${'{},'.repeat(200_000)}1]}`,
          ];
          await secret(name, { credentials: forms[n % forms.length] ?? '' });
          await apply(raw, { name }, rawSpec(name));
        }),
      'Secrets that change': ({ scaled, newName, nextHost, signal }) =>
        scaled(10, async () => {
          const name = newName();
          // Of one Secret.
          await times(20, (n) => apply(kyma, { name: `${name}-${n}` }, kymaSpec({ name })));
          for (let n = 0; n < 40 && !signal.aborted; n++)
            await secret(name, { kubeconfig: nextHost().kubeconfig(`t${n}`) });
        }),
      'input objects that are missing': ({ scaled, newName }) =>
        scaled(400, async () => {
          const name = newName();
          await apply(kyma, { name }, kymaSpec({ name: `missing-${name}` }, name));
        }),
      'input objects on this cluster that are missing': ({ scaled, newName }) =>
        scaled(400, async () => {
          const { kymaConnectionRef: _, ...forProvider } = kymaSpec({ name: '' }, HOSTILE[0]).forProvider;
          const name = newName();
          await apply(
            kyma,
            { name },
            { forProvider: { ...forProvider, serviceInstanceRef: { name, namespace: HOSTILE[0] } } },
          );
        }),
      'creations and deletions': ({ scaled, newName, nextHost }) =>
        scaled(100, async () => {
          const name = newName();
          await remote(name, nextHost().kubeconfig('t'));
          await objects.delete(kyma, { namespace: HOSTILE[0], name });
        }),
      'one place that all want': ({ scaled, newName, nextHost }) =>
        scaled(200, () =>
          withCredentials(newName(), nextHost().url, hosts.grants.url, {
            serviceInstanceID: 'one',
            primaryID: 'one',
          }),
        ),
      'places with long names': ({ scaled, newName, nextHost }) =>
        scaled(100, () =>
          withCredentials(newName(), nextHost().url, hosts.grants.url, { primaryID: text(250, '\u{1f600}') }),
        ),
      'external names of any characters': ({ scaled, newName, nextHost }) =>
        scaled(60, (n) =>
          remote(newName(), nextHost().kubeconfig('t'), {
            annotations: {
              'crossplane.io/external-name': ODD_NAMES[n % ODD_NAMES.length],
              'crossplane.io/external-create-pending': ODD_NAMES[(n + 1) % ODD_NAMES.length],
            },
          }),
        ),
      'owners and finalizers of a restored dump': ({ scaled, newName, nextHost }) =>
        scaled(60, (n) => remote(newName(), nextHost().kubeconfig('t'), foreignMetadata(n))),
      'Secrets with a megabyte and odd keys': ({ scaled, newName, nextHost }) =>
        scaled(30, async (n) => {
          const name = newName();
          const key = ['__proto__', 'constructor', 'toString', '..data', '-', '_'][n % 6] ?? '';
          const data = { [key]: nextHost().kubeconfig('t'), more: text(700_000) };
          await secret(name, data);
          const spec = kymaSpec({ name });
          const kymaConnectionRef = { ...spec.forProvider.kymaConnectionRef, kubeconfigKey: key };
          await apply(kyma, { name }, { forProvider: { ...spec.forProvider, kymaConnectionRef } });
        }),
      'namespaces that end': ({ scaled, newName, nextHost }) =>
        scaled(10, async () => {
          const namespace = newName();
          await objects.apply(namespaces, namespaceManifest(namespace));
          await times(5, async (n) => {
            await secret(`kyma-${n}`, { kubeconfig: nextHost().kubeconfig('t') }, namespace);
            await apply(kyma, { name: `m-${n}`, namespace }, kymaSpec({ name: `kyma-${n}` }));
          });
          await objects.delete(namespaces, { name: namespace });
        }),
      'requests for a reconcile': ({ scaled, newName, nextHost, signal }) =>
        scaled(30, async () => {
          const name = newName();
          await remote(name, nextHost().kubeconfig('t'));
          for (let n = 0; n < 60 && !signal.aborted; n++) {
            const annotations = {
              'crossplane.io/reconcile-requested-at': `${n}`,
              'crossplane.io/poll-interval': '1s',
            };
            await objects.patch(kyma, { namespace: HOSTILE[0], name }, { metadata: { annotations } });
          }
        }),
      'statuses that the tenant writes': ({ scaled, newName, nextHost }) =>
        scaled(60, async () => {
          const name = newName();
          await remote(name, nextHost().kubeconfig('t'));
          await objects.applyStatus(kyma, {
            ...{ apiVersion: apiVersionOf(kyma), kind: kyma.kind },
            metadata: { name, namespace: HOSTILE[0] },
            status: {
              atProvider: { kyma: { serviceInstanceID: text(200), clusterID: text(200) } },
              conditions: Array.from({ length: 40 }, (_, n) => ({
                ...{ type: `C${n}`, status: 'True', reason: 'A', message: text(1000) },
                lastTransitionTime: '2026-01-01T00:00:00Z',
              })),
            },
          } as never);
        }),
      'events of the watched Secrets': ({ scaled, newName, signal }) =>
        scaled(10, async () => {
          const name = newName();
          await remote(name, kubeconfigOf(`https://${hosts.nextSilent()}`));
          for (let n = 0; n < 100 && !signal.aborted; n++)
            await objects.patch(
              secrets,
              { namespace: HOSTILE[0], name },
              { metadata: { annotations: { n: `${n}${text(100_000)}` } } },
            );
        }),
    } satisfies Record<string, (variation: Variation) => Promise<unknown>>,
    clean: () => environment.remove(kyma, raw, secrets),
    expectAlive: () => alive(provider),
  };
}

const largeKubeconfigs: readonly (() => string)[] = [
  () => '- {a: [b, c]}\n'.repeat(6000),
  () =>
    `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n')}\n`,
  () => `${'{a: '.repeat(50_000)}`,
  () => `clusters: [${'{name: c},'.repeat(20_000)}]`,
  () => kubeconfigOf(`https://127.0.0.1:1/${'a'.repeat(200_000)}`),
  () => `# ${'x'.repeat(900_000)}\n${kubeconfigOf('https://127.0.0.1:1')}`,
  () =>
    JSON.stringify({
      'current-context': 'c',
      contexts: Array.from({ length: 900 }, (_, n) => ({
        name: n === 899 ? 'c' : `c${n}`,
        context: { cluster: 'c', user: 'u' },
      })),
      clusters: [
        {
          name: 'c',
          cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'QQ=='.repeat(20_000) },
        },
      ],
      users: [
        { name: 'u', user: { 'client-certificate-data': 'QUFB'.repeat(20_000), 'client-key-data': 'QUFB' } },
      ],
    }),
];

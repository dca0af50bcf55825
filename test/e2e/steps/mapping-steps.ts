import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  kymaInstanceMappings as clusterMappings,
  namespacedKymaInstanceMappings as namespacedMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { parseDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import type { KubeObject, ObjectKey } from '../../../internal/framework/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Mapping } from '../../simulators/hana-cloud/store.ts';
import { type E2eContext, type Step, until } from '../e2e-context.ts';
import { prepareKyma, putKubeconfig, putSources, source } from './sources.ts';

/** Where the cluster-scoped mapping's kubeconfig lies, and the namespaced mapping with its own. */
const PLATFORM = 'crossplane-system';
const TEAM = 'team-shop';

const clusterKey = { name: 'e2e' };
const namespacedKey = { namespace: TEAM, name: 'e2e' };
const targets = { cluster: source.namespace, namespaced: 'checkout' } as const;

interface Conditions {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly message?: string;
  }[];
}

/**
 * What the provider promises, from its CRDs to the last mapping's end. Needs an API server with the package's CRDs, the
 * provider, and the simulator; no pods.
 */
export const mappingSteps: readonly Step[] = [
  {
    title: 'every kind of the package is served',
    run: async ({ management, packageYaml }) => {
      const documents = parseDocuments(packageYaml, await readFile(packageYaml, 'utf8'));
      const crds = documents.filter(({ kind }) => kind === 'CustomResourceDefinition');
      for (const { name } of crds) {
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
        await until(async () => {
          const { body } = await management.request(path);
          hold(statusOf(body as Mapped, 'Established') === 'True', `${name} is not established`);
        });
      }
    },
  },
  {
    title: 'a mapping whose sources do not exist waits, and names them',
    run: async (context) => {
      await prepareKyma(context);
      await putKubeconfig(context, PLATFORM);
      const ref = { name: source.kubeconfig, namespace: PLATFORM };
      await context.management.objects.apply(clusterMappings, mapping(clusterMappings, clusterKey, ref));
      await until(async () => {
        const { status } = await context.management.objects.get<Mapped>(clusterMappings, clusterKey);
        const { message = '' } = status?.conditions?.find(({ type }) => type === 'Synced') ?? {};
        for (const name of [source.instance, source.binding, source.config.name]) {
          hold(message.includes(name), `Synced says "${message}", which does not name ${name}`);
        }
      });
    },
  },
  {
    title: 'its sources appear: it becomes Ready, and HANA Cloud has the mapping',
    run: async (context) => {
      await putSources(context);
      await untilReady(context, clusterMappings, clusterKey);
      await untilMapped(context, [targets.cluster]);
    },
  },
  {
    title: 'a namespaced mapping of the same database becomes Ready, with a kubeconfig of its own namespace',
    run: async (context) => {
      await putKubeconfig(context, TEAM);
      const object = mapping(
        namespacedMappings,
        namespacedKey,
        { name: source.kubeconfig },
        targets.namespaced,
      );
      await context.management.objects.apply(namespacedMappings, object);
      await untilReady(context, namespacedMappings, namespacedKey);
      await untilMapped(context, [targets.cluster, targets.namespaced]);
    },
  },
  {
    title: 'a mapping that a third party deleted in HANA Cloud is restored',
    run: async (context) => {
      const query = `primaryID=${source.clusterID}&secondaryID=${targets.cluster}`;
      await context.simulator(`/instances/${source.instanceID}/mappings?${query}`, 'DELETE');
      await untilMapped(context, [targets.cluster, targets.namespaced]);
    },
  },
  {
    title: 'deleted resources go, and their mappings with them',
    run: async (context) => {
      const { objects } = context.management;
      await objects.delete(clusterMappings, clusterKey);
      await objects.delete(namespacedMappings, namespacedKey);
      await untilMapped(context, []);
      await until(async () => {
        hold(
          (await objects.find(clusterMappings, clusterKey)) === undefined,
          'the cluster-scoped one is there',
        );
        hold(
          (await objects.find(namespacedMappings, namespacedKey)) === undefined,
          'the namespaced one is there',
        );
      });
    },
  },
  {
    title: 'nothing that HANA Cloud was asked was against its contract',
    run: async ({ simulator }) => {
      const { violations } = (await simulator('/state')) as { violations: readonly string[] };
      hold(violations.length === 0, violations.join('; '));
    },
  },
];

type Mapped = KubeObject & { readonly status?: Conditions };

function mapping(
  type: ResourceType,
  metadata: ObjectKey,
  secretRef: object,
  targetNamespace?: string,
): KubeObject {
  const object = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata,
    spec: {
      forProvider: {
        kymaConnectionRef: { secretRef },
        serviceInstanceRef: { namespace: source.namespace, name: source.instance },
        adminBindingRef: { namespace: source.namespace, name: source.binding },
        ...(targetNamespace === undefined ? {} : { targetNamespace }),
      },
    },
  };
  return object;
}

const untilReady = ({ management }: E2eContext, type: ResourceType, key: ObjectKey) =>
  until(async () => {
    const object = await management.objects.get<Mapped>(type, key);
    for (const condition of ['Synced', 'Ready']) {
      const said = JSON.stringify(object.status?.conditions);
      hold(statusOf(object, condition) === 'True', `${condition} is not True: ${said}`);
    }
  });

/** @param expected target namespaces of all mappings that the instance has */
export const untilMapped = ({ simulator }: E2eContext, expected: readonly string[]) =>
  until(async () => {
    const { instances } = (await simulator('/state')) as { instances: Record<string, readonly Mapping[]> };
    const found = (instances[source.instanceID] ?? []).map(({ secondaryID }) => secondaryID).sort();
    hold(
      isDeepStrictEqual(found, [...expected].sort()),
      `HANA Cloud has mappings to ${found.join(', ') || 'nothing'}`,
    );
  });

const statusOf = (object: { readonly status?: Conditions }, condition: string): string | undefined =>
  object.status?.conditions?.find(({ type }) => type === condition)?.status;

function hold(it: boolean, otherwise: string): asserts it {
  if (!it) throw new Error(otherwise);
}

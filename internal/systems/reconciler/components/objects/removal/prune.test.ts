/** Objects that leave the chart of a component: which are deleted, and which stay until nothing of users is in them. */
import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { apiError } from '../../../../../framework/kube/fakes/memory-client.ts';
import { customResourceDefinitions, type ResourceType } from '../../../../../framework/kube/index.ts';
import { uncountedCluster } from '../../clusters/uncounted-cluster.ts';
import type { InventoryEntry } from '../inventory.ts';
import { prune } from './prune.ts';

const widgets: ResourceType = {
  ...{ group: 'example.org', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true },
};
const entry: InventoryEntry = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  key: { name: 'widgets.example.org' },
};
const none = { items: [] };

interface Given {
  /** The first page of the custom resources, or the refusal of the list. */
  readonly page?: object | Error;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly served?: boolean;
}

async function pruned({ page = none, annotations = {}, served = true }: Given) {
  const metadata = { name: entry.key.name, uid: 'u', annotations };
  let isDeleted = false;
  const client = {
    getMetadata: async () => ({ metadata }),
    get: async () => ({
      metadata,
      spec: {
        group: 'example.org',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served }],
      },
    }),
    listMetadata: async () => {
      if (page instanceof Error) throw page;
      return page;
    },
    delete: async () => {
      isDeleted = true;
    },
  };
  const kinds = {
    find: async (_: string, kind: string) => (kind === 'Widget' ? widgets : customResourceDefinitions),
    forget: () => undefined,
  };
  const cluster = uncountedCluster({
    ...{ name: 'c', client: client as never, kinds: kinds as never },
    ...{ capabilities: async () => undefined, close: async () => undefined },
  });
  const target = { cluster, component: 'istio', namespace: 'shop', version: '1' };
  const staying = await prune([entry], { target, log: nopLogger, signal: new AbortController().signal });
  return { isDeleted, isStaying: staying.includes(entry) };
}

test.each<[what: string, given: Given, isDeleted: boolean, isStaying: boolean]>([
  ['without objects', {}, true, false],
  ['with an object', { page: { items: [{ metadata: { name: 'a' } }] } }, false, true],
  ['with an empty page that is not the last one', { page: { ...none, continue: 'more' } }, false, true],
  ['whose objects cannot be listed any more', { page: apiError(404, 'NotFound') }, true, false],
  ['of which no version is served', { served: false }, false, true],
  ['that its chart keeps', { annotations: { 'reconciler.kyma-project.io/prune': 'disabled' } }, false, false],
  ['that Helm keeps', { annotations: { 'helm.sh/resource-policy': 'keep' } }, false, false],
])('a CRD %s', async (_, given, isDeleted, isStaying) => {
  expect(await pruned(given)).toEqual({ isDeleted, isStaying });
});

test('a list that fails deletes no CRD', async () => {
  await expect(pruned({ page: apiError(503, 'ServiceUnavailable') })).rejects.toThrow();
});

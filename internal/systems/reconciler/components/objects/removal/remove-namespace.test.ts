import { describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import type { KubeClient, ListOptions } from '../../../../../framework/kube/client/client.ts';
import type { KubeObject, ObjectKey } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { uncountedCluster } from '../../clusters/uncounted-cluster.ts';
import type { ManagedCluster } from '../../model/component.ts';
import { KindsUnknownError } from '../../model/kinds-unknown-error.ts';
import { removeNamespace } from './remove-namespace.ts';

const pods: ResourceType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const replicaSets: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};

const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team', uid: name, ...more },
});
/** The garbage collector deletes them one after the other: their ReplicaSet is being deleted. */
const going = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    pod(`component-${String(n).padStart(4, '0')}`, {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'component', uid: 'rs' }],
    }),
  );
const deleting = (count: number) =>
  going(count).map(({ metadata: { name } }) => pod(name, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
const ofComponent = (component: string) => ({
  labels: { 'reconciler.kyma-project.io/component': component },
});

/** A cluster with pages, in the order of names as etcd has it. */
function clusterWith(
  items: readonly KubeObject[],
  pageSize = Number.POSITIVE_INFINITY,
  owner: Partial<KubeObject['metadata']> = { uid: 'rs', deletionTimestamp: '2026-01-01T00:00:00Z' },
) {
  const deleted: string[] = [];
  const client = {
    clusterName: 'c',
    getMetadata: async (type: ResourceType, { name }: ObjectKey) => {
      if (type.kind === 'Namespace') return { ...pod(name), apiVersion: 'v1', kind: 'Namespace' };
      return { metadata: { name, ...owner } };
    },
    listMetadata: async (type: ResourceType, options: ListOptions = {}) => {
      const { limit = 500, continue: from = '0', labelSelector = '' } = options;
      const all =
        type.kind === 'Pod' ? items.filter(({ metadata }) => !labelSelector || metadata.labels) : [];
      const end = Number(from) + Math.min(limit, pageSize);
      const page = [...all].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      return {
        items: page.slice(Number(from), end),
        ...(end < page.length ? { continue: String(end) } : {}),
      };
    },
    delete: async ({ kind }: ResourceType, { name }: ObjectKey) => void deleted.push(`${kind} ${name}`),
  };
  const kinds = {
    all: async () => [pods],
    find: async (_: string, kind: string) => (kind === 'ReplicaSet' ? replicaSets : undefined),
    forget: () => undefined,
  };
  const fake = { name: 'c', client: client as unknown as KubeClient, kinds };
  const cluster = uncountedCluster(fake as unknown as ManagedCluster);
  return { cluster, deleted };
}
const signal = new AbortController().signal;
const remove = async (items: readonly KubeObject[], pageSize?: number) => {
  const { cluster, deleted } = clusterWith(items, pageSize);
  const isRemoved = await removeNamespace('team', { cluster, component: 'x', log: nopLogger, signal });
  return { isRemoved, deleted };
};

const user = pod('users-database');
const other = pod('other', ofComponent('other'));

describe('a namespace', () => {
  test.each<[what: string, items: readonly KubeObject[]]>([
    ['99 pods that go', [...going(99), user]],
    ['100 pods that go', [...going(100), user]],
    ['150 pods that go', [...going(150), user]],
    ['1500 pods that go', [...going(1500), user]],
    ['1500 pods that are being deleted', [...deleting(1500), user]],
  ])('with %s and a pod of a user stays', async (_what, items) => {
    expect(await remove(items)).toEqual({ isRemoved: false, deleted: [] });
  });

  test('stays while it could have objects of an API whose server does not answer', async () => {
    const { cluster, deleted } = clusterWith([]);
    const all = async () => {
      throw new KindsUnknownError(['down.org/v1']);
    };
    const kinds = { ...cluster.kinds, all };
    const options = {
      cluster: uncountedCluster({ ...cluster, kinds }),
      component: 'x',
      log: nopLogger,
      signal,
    };

    await expect(removeNamespace('team', options)).rejects.toThrow('the kinds of down.org/v1 are unknown');
    expect(deleted).toEqual([]);
  });

  test('whose pods all go is deleted', async () => {
    const items = [...going(150), ...deleting(1500)];
    expect(await remove(items)).toEqual({ isRemoved: true, deleted: ['Namespace team'] });
  });

  test('that has what every namespace has, and reports of what was there, is deleted', async () => {
    const items = [
      { ...pod('default'), kind: 'ServiceAccount' },
      { ...pod('kube-root-ca.crt'), kind: 'ConfigMap' },
      { ...pod('istio-ca-root-cert'), kind: 'ConfigMap' },
      { ...pod('istio-ca-crl'), kind: 'ConfigMap' },
      { ...pod('killed'), kind: 'Event' },
    ];
    expect(await remove(items)).toEqual({ isRemoved: true, deleted: ['Namespace team'] });
    const own = { ...pod('default'), kind: 'ConfigMap' };
    expect((await remove([...items, own])).isRemoved).toBe(false);
  });

  test.each([
    ['stays', false, { uid: 'rs' }],
    ['is deleted, since their owner is another object of its name', true, { uid: 'another' }],
  ])('whose pods have an owner that is not being deleted %s', async (_, isRemoved, owner) => {
    const { cluster } = clusterWith(going(3), undefined, owner);
    const options = { cluster, component: 'x', log: nopLogger, signal };
    expect(await removeNamespace('team', options)).toBe(isRemoved);
  });

  test('with an object of another component behind 1500 of this one stays', async () => {
    const own = going(1500).map(({ metadata: { name, ownerReferences } }) =>
      pod(name, { ...ofComponent('x'), ownerReferences }),
    );
    const object = { ...other, metadata: { ...other.metadata, name: 'z' } };
    const { cluster, deleted } = clusterWith([...own, object]);
    const kinds = {
      ...cluster.kinds,
      all: async ({ category }: { category?: string }) => (category ? [] : [pods]),
    };
    const options = { component: 'x', log: nopLogger, signal };

    const isRemoved = await removeNamespace('team', {
      ...options,
      cluster: { ...cluster, kinds } as typeof cluster,
    });

    expect({ isRemoved, deleted }).toEqual({ isRemoved: false, deleted: [] });
  });

  test('whose pages do not end is not taken for an empty one', async () => {
    await expect(remove(deleting(3), 0)).rejects.toThrow('too many pages');
  });
});

import { expect, test } from '@jest/globals';
import type { KubeClient } from '../../../../framework/kube/index.ts';
import {
  type ClusterRoleBinding,
  clusterRoleBindings,
  labelBindings,
  missingBindings,
  removedBindings,
} from './access.ts';
import { listOfUsers } from './runtime-cluster.ts';

interface Given {
  readonly labels?: Record<string, string>;
  readonly kind?: string;
  readonly role?: { readonly kind: string; readonly name: string };
}

const OWN = { [labelBindings]: 'infrastructure-manager' };

const binding = (name: string, { labels = OWN, kind = 'User', role }: Given = {}): ClusterRoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: `binding-${name}`, labels },
  roleRef: {
    apiGroup: 'rbac.authorization.k8s.io',
    ...(role ?? { kind: 'ClusterRole', name: 'cluster-admin' }),
  },
  subjects: [{ kind, name, apiGroup: 'rbac.authorization.k8s.io' }],
});
const users = (bindings: readonly ClusterRoleBinding[]) =>
  bindings.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));

test('[I41] each administrator without a binding gets one', () => {
  const missing = missingBindings([], ['test1', 'test2', 'test1', '']);
  expect(users(missing)).toEqual(['test1', 'test2']);
  expect(missing[0]).toMatchObject({
    metadata: { name: expect.stringMatching(/^admin-[0-9a-f]{16}$/), labels: OWN },
    roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  expect(new Set(missing.map(({ metadata }) => metadata.name)).size).toBe(2);
});

test('[I42] administrators with bindings of this program get none', () => {
  expect(missingBindings([binding('test1'), binding('test2')], ['test1', 'test2'])).toEqual([]);
  const others: Given[] = [{ labels: {} }, { kind: 'ServiceAccount' }];
  for (const other of others)
    expect(users(missingBindings([binding('test1', other)], ['test1']))).toEqual(['test1']);
});

test.each([
  ['there are none', []],
  ['all are administrators', [binding('test1'), binding('test2')]],
  ['they have no subjects', [{ ...binding('test3'), subjects: [] }]],
])('[I43] no binding is removed if %s', (_, bindings) => {
  expect(removedBindings(bindings, ['test1', 'test2'])).toEqual([]);
});

test('[I44] bindings of others than the administrators are removed', () => {
  const bindings = ['test1', 'test2', 'test3'].map((name) => binding(name));
  expect(users(removedBindings(bindings, ['test2']))).toEqual(['test1', 'test3']);
});

test.each([
  ['[I45]', 'of the reconciler', { labels: { [labelBindings]: 'reconciler' } }],
  ['[I46]', 'with another value of the label', { labels: { [labelBindings]: 'should-stay' } }],
  ['[I46]', 'with an empty label', { labels: { [labelBindings]: '' } }],
  ['[I47]', 'of a ServiceAccount', { kind: 'ServiceAccount' }],
  ['[I49]', 'with another label', { labels: { 'managed-by': 'infrastructure-manager' } }],
  ['[I49]', 'of others', { labels: { [labelBindings]: 'others' } }],
  ['[I49]', 'without labels', { labels: {} }],
  ['a change:', 'to another role', { role: { kind: 'ClusterRole', name: 'view' } }],
  ['a change:', 'to a Role', { role: { kind: 'Role', name: 'cluster-admin' } }],
])('%s a binding %s stays, and one of this program beside it goes', (_, __, given: Given) => {
  expect(users(removedBindings([binding('kept', given), binding('test3')], ['test1']))).toEqual(['test3']);
});

test('[I48] of mixed bindings only those of this program go', () => {
  const others = { labels: { [labelBindings]: 'reconciler' } };
  const bindings = [binding('test1'), binding('test2', others), binding('test3'), binding('test4', others)];
  expect(users(removedBindings(bindings, ['test1']))).toEqual(['test3']);
});

test('bindings of a cluster whose users fill all pages are refused', async () => {
  let pages = 0;
  const filled = { ...binding('a'), extra: Array.from({ length: 9000 }, () => ({})) };
  const list = async () => {
    pages++;
    return { items: [filled], resourceVersion: '1', continue: 'more' };
  };
  const cluster = { client: { list } as unknown as KubeClient, signal: new AbortController().signal };
  await expect(listOfUsers(cluster, clusterRoleBindings)).rejects.toThrow(
    'cannot list clusterrolebindings: they take more memory than there is',
  );
  expect(pages).toBe(8);
});

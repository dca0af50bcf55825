import { expect, test } from '@jest/globals';
import { leaderLease } from './leader-lease.ts';

const flags = { leaderElectionNamespace: '', watchLabelSelector: '' };
const pod = { POD_NAMESPACE: 'crossplane-system', PROVIDER_NAME: 'kyma' };

test('in a pod the Lease is in its namespace and named after the provider', () => {
  expect(leaderLease(flags, {}, pod).lease).toEqual({
    namespace: 'crossplane-system',
    name: 'crossplane-leader-election-kyma',
  });
});

test('precedence: flag, pod, kubeconfig', () => {
  expect(leaderLease({ ...flags, leaderElectionNamespace: 'x' }, {}, pod).lease.namespace).toBe('x');
  expect(leaderLease(flags, { namespace: 'y' }, {}).lease.namespace).toBe('y');
});

test('without a namespace the error has the flag to set', () => {
  expect(() => leaderLease(flags, {}, {})).toThrow(/--leader-election-namespace/);
});

test('a module that replaces another program has the Lease of that program, also for shards', () => {
  expect(leaderLease(flags, {}, pod, 'own.example.org').lease.name).toBe('own.example.org');
  const shard = leaderLease({ ...flags, watchLabelSelector: 'a=b' }, {}, pod, 'own.example.org').lease.name;
  expect(shard).toMatch(/^own\.example\.org-[0-9a-f]{10}$/);
});

test('each shard has a Lease of its own', () => {
  const name = (watchLabelSelector: string) =>
    leaderLease({ ...flags, watchLabelSelector }, {}, pod).lease.name;
  expect(new Set([name(''), name('shard=a'), name('shard=b')]).size).toBe(3);
});

test('two replicas never share an identity', () => {
  expect(leaderLease(flags, {}, pod).identity).not.toBe(leaderLease(flags, {}, pod).identity);
});

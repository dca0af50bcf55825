import { describe, expect, test } from '@jest/globals';
import { configMaps, leases, secrets } from '../../../framework/kube/object/resource-type.ts';
import { isGranted, rulesFor } from './policy-rules.ts';

describe('the rules for rights', () => {
  test('are minimal and grant nothing else', () => {
    const rights = [
      { verb: 'get', type: secrets },
      { verb: 'watch', type: secrets },
      { verb: 'get', type: configMaps },
      { verb: 'watch', type: configMaps },
      { verb: 'update', type: leases, subresource: 'status' },
      { verb: 'get', type: leases },
    ];
    const rules = rulesFor(rights);
    expect(rules).toEqual([
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'watch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases/status'], verbs: ['update'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
    ]);
    expect(rights.every((right) => isGranted(rules, right))).toBe(true);
    expect(isGranted(rules, { verb: 'update', type: leases })).toBe(false);
    expect(isGranted(rules, { verb: 'get', type: leases, subresource: 'status' })).toBe(false);
  });
});

test('rights for one object have a rule of their own, with its name', () => {
  const named = { type: leases, name: 'leader' };
  expect(
    rulesFor([
      { verb: 'create', type: leases },
      { verb: 'get', ...named },
      { verb: 'update', ...named },
    ]),
  ).toEqual([
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'update'],
      resourceNames: ['leader'],
    },
  ]);
});

describe('a right is granted', () => {
  const status = { verb: 'update', type: leases, subresource: 'status' };
  test.each([
    {
      by: 'all that it names',
      rule: { groups: ['coordination.k8s.io'], resources: ['leases/status'], verbs: ['update'] },
    },
    { by: 'any verb', rule: { groups: ['coordination.k8s.io'], resources: ['leases/status'], verbs: ['*'] } },
    { by: 'any group', rule: { groups: ['*'], resources: ['leases/status'], verbs: ['update'] } },
    { by: 'any resource', rule: { groups: ['coordination.k8s.io'], resources: ['*'], verbs: ['update'] } },
    {
      by: 'that part of any resource',
      rule: { groups: ['coordination.k8s.io'], resources: ['*/status'], verbs: ['update'] },
    },
  ])('by $by', ({ rule: { groups: apiGroups, resources, verbs } }) => {
    expect(isGranted([{ apiGroups, resources, verbs }], status)).toBe(true);
  });

  test.each([
    { not: 'another part', resources: ['*/scale'] },
    { not: 'the whole alone', resources: ['leases'] },
    { not: 'parts of another', resources: ['secrets/status'] },
  ])('not by $not', ({ resources }) => {
    expect(isGranted([{ apiGroups: ['coordination.k8s.io'], resources, verbs: ['update'] }], status)).toBe(
      false,
    );
  });

  test('a wildcard is not granted by its parts', () => {
    const rules = [{ apiGroups: ['*'], resources: ['*/status'], verbs: ['*'] }];
    expect(isGranted(rules, { verb: 'update', type: leases })).toBe(false);
  });
});

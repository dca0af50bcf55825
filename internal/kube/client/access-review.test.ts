import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import type { KubeObject } from '../object/object.ts';
import { customResourceDefinitions, leases, secrets } from '../object/resource-type.ts';
import { canI, grantRule } from './access-review.ts';
import type { KubeClient } from './client.ts';

test('asks the question as RBAC knows it, and gives the server’s answer', async () => {
  const sent: unknown[] = [];
  const client: KubeClient = {
    ...createMemoryClient({ clock: createFakeClock() }),
    create: async <T extends KubeObject>(_type: unknown, object: T) => {
      sent.push(object);
      return { ...object, status: { allowed: false, reason: 'no RBAC policy matched' } };
    },
  };
  const answer = await canI(client, {
    verb: 'get',
    type: leases,
    namespace: 'shop',
    name: 'a',
    subresource: 'status',
  });
  expect(answer).toEqual({ allowed: false, reason: 'no RBAC policy matched' });
  expect(sent).toMatchObject([
    {
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb: 'get',
          group: 'coordination.k8s.io',
          resource: 'leases',
          subresource: 'status',
          namespace: 'shop',
          name: 'a',
        },
      },
    },
  ]);
});

test.each([
  [
    { verb: 'get', type: secrets, namespace: 'shop', name: 'a' },
    'add {apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"]} to a Role in namespace shop that is bound to this user',
  ],
  [
    { verb: 'create', type: leases, name: 'a' },
    'add {apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"]} to a ClusterRole that is bound to this user',
  ],
  [
    { verb: 'update', type: customResourceDefinitions, namespace: 'x', subresource: 'status' },
    'add {apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions/status"], verbs: ["update"]} to a ClusterRole that is bound to this user',
  ],
])('the rule that grants %j', (question, rule) => {
  expect(grantRule(question)).toBe(rule);
});

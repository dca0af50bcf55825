import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import type { KubeObject } from '../object/object.ts';
import { customResourceDefinitions, leases, secrets } from '../object/resource-type.ts';
import { canI, grantCommand, grantRule } from './access-review.ts';
import type { KubeClient } from './client.ts';

/** A server that answers reviews with this status. */
function setUp(status?: { readonly allowed?: boolean; readonly reason?: string }) {
  const sent: unknown[] = [];
  const client: KubeClient = {
    ...createMemoryClient({ clock: createFakeClock() }),
    create: async <T extends KubeObject>(_type: unknown, object: T) => {
      sent.push(object);
      return { ...object, status };
    },
  };
  return { sent, client };
}

test('asks the question as RBAC knows it, and gives the server’s answer', async () => {
  const { sent, client } = setUp({ allowed: false, reason: 'no RBAC policy matched' });
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
    'system:serviceaccount:crossplane-system:provider-kyma',
    ['system:serviceaccounts', 'system:serviceaccounts:crossplane-system', 'system:authenticated'],
  ],
  ['anna@example.org', ['system:authenticated']],
  ['system:serviceaccount:shop', ['system:authenticated']],
  ['x:system:serviceaccount:shop:a:b', ['system:authenticated']],
])('about the user %s the question has the groups that the API server adds', async (user, groups) => {
  const { sent, client } = setUp({ allowed: true });
  const answer = await canI(client, { verb: 'list', type: secrets }, { user });
  expect(answer).toEqual({ allowed: true, reason: '' });
  expect(sent).toMatchObject([{ kind: 'SubjectAccessReview', spec: { user, groups } }]);
});

test('a kind without namespaces is asked about without one, and no status is no permission', async () => {
  const { sent, client } = setUp();
  const question = { verb: 'get', type: customResourceDefinitions, namespace: 'shop' };
  expect(await canI(client, question)).toEqual({ allowed: false, reason: '' });
  expect(sent).toMatchObject([{ spec: { resourceAttributes: { namespace: undefined } } }]);
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

test.each([
  [
    { verb: 'get', type: secrets, namespace: 'shop', name: 'a' },
    { user: 'system:serviceaccount:shop:reader', flags: ['--kubeconfig=FILE'] },
    'kubectl --kubeconfig=FILE -n shop create role provider-kyma-get-secrets-a --verb=get --resource=secrets --resource-name=a && ' +
      'kubectl --kubeconfig=FILE -n shop create rolebinding provider-kyma-get-secrets-a --role=provider-kyma-get-secrets-a --serviceaccount=shop:reader',
  ],
  [
    { verb: 'update', type: customResourceDefinitions, namespace: 'x', subresource: 'status' },
    { user: "Eve's; rm -rf" },
    'kubectl create clusterrole provider-kyma-update-customresourcedefinitions-status --verb=update --resource=customresourcedefinitions.apiextensions.k8s.io/status && ' +
      "kubectl create clusterrolebinding provider-kyma-update-customresourcedefinitions-status --clusterrole=provider-kyma-update-customresourcedefinitions-status '--user=Eve'\\''s; rm -rf'",
  ],
  [
    { verb: 'create', type: leases, name: 'a' },
    { user: undefined },
    'add {apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"]} to a ClusterRole that is bound to this user',
  ],
])('the commands that grant %j to %j', (question, options, commands) => {
  expect(grantCommand(question, options)).toBe(commands);
});

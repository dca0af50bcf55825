/**
 * What the module btp needs, and what its chart grants. That the code needs no more is held by the integration tests of
 * the module, which run as the service account of the chart.
 */
import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { ruleResource } from '../../internal/program/doctor/permissions/policy-rules.ts';
import { requiredRights } from '../../internal/program/doctor/permissions/run-permissions.ts';
import { defaultFlags, type StartFlags } from '../../internal/program/provider/flags.ts';
import { loadModules } from '../../internal/program/provider/open-modules.ts';
import type { Rule, Subject } from '../environment/package-permissions.ts';
import { type RecordedValues, recordedObjects } from '../integration/btp/chart/recorded-objects.ts';

interface RbacObject extends KubeObject {
  readonly rules?: readonly (Rule & { readonly resourceNames?: readonly string[] })[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

/** The rules of an account, with the namespace in which each is granted; `*`: everywhere. */
async function grants(values: RecordedValues, account: string) {
  const objects: readonly RbacObject[] = await recordedObjects(values);
  return objects.flatMap(({ kind, metadata, roleRef, subjects = [] }) => {
    if (roleRef === undefined || subjects.every(({ name }) => name !== account)) return [];
    const role = objects.find(
      (each) =>
        each.kind === roleRef.kind &&
        each.metadata.name === roleRef.name &&
        (roleRef.kind === 'ClusterRole' || each.metadata.namespace === metadata.namespace),
    );
    const namespace = kind === 'ClusterRoleBinding' ? '*' : (metadata.namespace ?? '');
    return (role?.rules ?? []).map((rule) => ({ namespace, ...rule }));
  });
}

const texts = (rules: readonly Rule[]) => [
  ...new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    ),
  ),
];
const operator = 'sap-btp-operator';
const namespace = 'sap-btp-operator';
const lease = { namespace, name: 'crossplane-leader-election-sap-btp-operator' };
/** The rights that `doctor` checks, as texts, in a namespace or everywhere. */
async function needed(flags: Partial<StartFlags> = {}, where: (namespace?: string) => boolean = () => true) {
  const options = { flags: { ...defaultFlags(), ...flags }, lease };
  const rights = requiredRights(await loadModules('btp'), options).filter((right) => where(right.namespace));
  return [
    ...new Set(rights.map((right) => `${right.verb} ${ruleResource(right)}.${right.type.group}`)),
  ].sort();
}

test('the operator is granted what it needs, and nothing else', async () => {
  expect(texts(await grants('default', operator)).sort()).toEqual(await needed());
});

test('without access to the cluster it has no right outside of its namespaces, and reads no CRDs', async () => {
  const granted = await grants('namespaced', operator);
  const flags = {
    allowClusterAccess: false,
    allowedNamespaces: 'shop,office',
    releaseNamespace: namespace,
    managementNamespace: 'credentials',
  };
  const namespaces = [...new Set(granted.map((rule) => rule.namespace))].sort();
  expect(namespaces).toEqual(['credentials', 'office', 'sap-btp-operator', 'shop']);
  for (const each of namespaces) {
    const there = granted.filter((rule) => rule.namespace === each);
    expect({ each, rights: texts(there).sort() }).toEqual({
      each,
      rights: await needed(flags, (right) => right === each),
    });
  }
});

test('Leases of others can neither be read nor changed', async () => {
  for (const { namespace, resources, verbs, resourceNames } of await grants('default', operator)) {
    if (!resources.includes('leases') || verbs.includes('create')) continue;
    expect(resourceNames).toContain('aa689ecc.cloud.sap.com');
    if (verbs.includes('update')) expect(namespace).toBe('sap-btp-operator');
  }
});

test('the account of the pre-delete Job can list and delete the kinds, release credentials, delete one Secret, and stop the operator', async () => {
  const granted = await grants('namespaced', 'sap-btp-operator-pre-delete');
  expect(texts(granted).sort()).toEqual([
    'delete leases.coordination.k8s.io',
    'delete secrets.',
    'delete servicebindings.services.cloud.sap.com',
    'delete serviceinstances.services.cloud.sap.com',
    'get deployments.apps',
    'get leases.coordination.k8s.io',
    'get secrets.',
    'list kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap',
    'list kymainstancemappings.inventory.hana.orchestrate.cloud.sap',
    'list secrets.',
    'list servicebindings.services.cloud.sap.com',
    'list serviceinstances.services.cloud.sap.com',
    'patch deployments.apps',
    'patch secrets.',
  ]);
  const named = granted.filter(
    ({ resources }) => !resources.includes('secrets') && !resources.includes('serviceinstances'),
  );
  expect(named.map(({ namespace, resourceNames }) => ({ namespace, resourceNames }))).toEqual(
    expect.arrayContaining([
      { namespace: 'sap-btp-operator', resourceNames: ['sap-btp-operator-controller-manager'] },
      {
        namespace: 'sap-btp-operator',
        resourceNames: ['aa689ecc.cloud.sap.com', 'crossplane-leader-election-sap-btp-operator'],
      },
    ]),
  );
  const ofSecrets = granted.filter(({ resources }) => resources.includes('secrets'));
  const deleting = ofSecrets.filter(({ verbs }) => verbs.includes('delete'));
  expect(deleting.map(({ resourceNames }) => resourceNames)).toEqual([['sap-btp-operator-clusterid']]);
  // All Secrets of the management namespace, credentials elsewhere.
  const all = ofSecrets.filter(({ resourceNames }) => resourceNames === undefined);
  expect(all.map((rule) => rule.namespace)).toEqual(['credentials']);
});

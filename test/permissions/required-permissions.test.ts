/**
 * What the provider needs, what Crossplane grants it for the CRDs in package/crds, and what the example adds. That the
 * code needs no more is held by the integration tests, which check all of their requests.
 */
import { expect, test } from '@jest/globals';
import { groupResource } from '../../internal/framework/kube/object/resource-type.ts';
import type { RequiredRight } from '../../internal/framework/module/right.ts';
import { isGranted, ruleResource } from '../../internal/program/doctor/permissions/policy-rules.ts';
import { requiredRights } from '../../internal/program/doctor/permissions/run-permissions.ts';
import { loadModules } from '../../internal/program/provider/open-modules.ts';
import { packageCrds } from '../environment/install-crds.ts';
import { crossplaneRules, declaresSafeStart, exampleRights } from '../environment/package-permissions.ts';

const crds = await packageCrds();
const rights = requiredRights(await loadModules());
const crossplane = crossplaneRules(crds, { safeStart: true });
const { roles, bindings } = await exampleRights();
const example = roles.flatMap(({ rules }) => rules);
const text = (right: RequiredRight) => `${right.verb} ${ruleResource(right)}.${right.type.group}`;

test('Crossplane grants nearly all of it, and the example exactly the rest', () => {
  const rest = rights.filter((right) => !isGranted(crossplane, right));
  const added = example.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
    ),
  );
  expect(added.sort()).toEqual(rest.map(text).sort());
});

test('events are written in all namespaces as soon as one module has objects in all of them', () => {
  const moduleIn = (namespaces?: readonly string[]) => ({
    ...{ configs: [], kinds: [], rights: () => [] },
    ...(namespaces === undefined ? {} : { namespaces: () => namespaces }),
  });
  const placesOf = (...modules: readonly ReturnType<typeof moduleIn>[]) =>
    requiredRights(modules)
      .filter(({ verb, purpose }) => purpose.name === 'events' && verb === 'create')
      .map(({ namespace }) => namespace);
  expect(placesOf(moduleIn(['a', 'b']), moduleIn(['b']))).toEqual(['a', 'b']);
  expect(placesOf(moduleIn(['a']), moduleIn())).toEqual([undefined]);
  expect(placesOf(moduleIn(), moduleIn(['a']))).toEqual([undefined]);
});

test('the package declares safe-start, without which Crossplane would not let it follow CRDs', async () => {
  expect(await declaresSafeStart()).toBe(true);
  const missing = rights.filter(
    (right) => !isGranted([...crossplaneRules(crds, { safeStart: false }), ...example], right),
  );
  expect(missing.map(text)).toEqual(
    ['get', 'list', 'watch'].map((verb) => `${verb} customresourcedefinitions.apiextensions.k8s.io`),
  );
  expect(missing.every(({ purpose }) => purpose.otherwise !== undefined)).toBe(true);
});

test('no right is needed of a kind that the package does not bring, and each of its kinds is listed', () => {
  const groups = new Set(crds.map(({ spec }) => spec.group));
  const own = rights.filter(({ type }) => groups.has(type.group)).map(({ type }) => groupResource(type));
  expect([...new Set(own)].sort()).toEqual(crds.map(({ metadata }) => metadata.name).sort());
});

test('each role of the example is bound to the service account that the runtime config names, and to no other', () => {
  expect(bindings.map(({ roleRef }) => roleRef.name).sort()).toEqual(
    roles.map(({ metadata }) => metadata.name).sort(),
  );
  for (const { subjects } of bindings) {
    expect(subjects).toEqual([
      { kind: 'ServiceAccount', name: 'provider-kyma', namespace: 'crossplane-system' },
    ]);
  }
});

test('no permission is listed twice', () => {
  const all = rights.map(text);
  expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([]);
});

/**
 * What the module reconciler needs, and what its manifest grants. That the code needs no more is held by its integration tests,
 * which run with these rights.
 */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { RequiredRight } from '../../internal/framework/module/right.ts';
import { ruleResource } from '../../internal/program/doctor/permissions/policy-rules.ts';
import {
  composingRights,
  requiredRights,
} from '../../internal/program/doctor/permissions/run-permissions.ts';
import { loadModules } from '../../internal/program/provider/open-modules.ts';
import type { Rule } from '../environment/package-permissions.ts';

const file = new URL('../../package/reconciler/chart/files/kyma-clusters-rbac.yaml', import.meta.url);
const objects = parseAllDocuments(await readFile(file, 'utf8')).map(
  (document): KubeObject & { readonly rules?: readonly Rule[] } => document.toJS(),
);

function grantedBy(name: string): string[] {
  const { rules = [] } = objects.find(({ metadata }) => metadata.name === name) ?? {};
  const rights = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
    ),
  );
  return [...new Set(rights)].sort();
}

const texts = (rights: readonly RequiredRight[]): string[] =>
  [...new Set(rights.map((right) => `${right.verb} ${ruleResource(right)}.${right.type.group}`))].sort();

const modules = await loadModules('reconciler');

test('the account of the provider has the rights of the module, and no others', () => {
  // Leases: a Role of the chart, or Crossplane.
  const needed = requiredRights(modules).filter(({ purpose }) => purpose.name !== 'leader-election');
  expect(grantedBy('provider-kyma-clusters')).toEqual(texts(needed));
});

test('Crossplane may compose KymaClusters, and nothing else', () => {
  expect(grantedBy('crossplane-kyma-clusters')).toEqual(texts(composingRights(modules)));
});

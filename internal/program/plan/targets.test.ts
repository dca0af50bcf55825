import { expect, test } from '@jest/globals';
import { groupResource } from '../../framework/kube/object/resource-type.ts';
import { loadModules } from '../provider/open-modules.ts';
import { kindsFor } from './targets.ts';

const kinds = (await loadModules()).flatMap((module) => module.kinds);

const cluster = 'inventory.hana.orchestrate.cloud.sap';
const namespaced = 'inventory.hana.m.orchestrate.cloud.sap';

test.each([
  {
    word: undefined,
    inNamespace: false,
    want: [`kymainstancemappings.${cluster}`, `instancemappings.${cluster}`],
  },
  {
    word: undefined,
    inNamespace: true,
    want: [`kymainstancemappings.${namespaced}`, `instancemappings.${namespaced}`],
  },
  { word: 'KymaInstanceMapping', inNamespace: false, want: [`kymainstancemappings.${cluster}`] },
  { word: 'instancemappings', inNamespace: true, want: [`instancemappings.${namespaced}`] },
  // With the group, the namespace does not matter.
  { word: `instancemapping.${namespaced}`, inNamespace: false, want: [`instancemappings.${namespaced}`] },
  { word: `instancemappings.v1alpha1.${cluster}`, inNamespace: true, want: [`instancemappings.${cluster}`] },
  { word: 'pods', inNamespace: false, want: [] },
])('$word (in a namespace: $inNamespace) names $want', ({ word, inNamespace, want }) => {
  expect(kindsFor(kinds, word, inNamespace).map(({ type }) => groupResource(type))).toEqual(want);
});

/**
 * The recorded Compositions of examples/composition from end to end but for Crossplane itself: the output of their
 * functions for a composite resource is applied, strictly, to a real API server; the provider reconciles it; and its
 * result is what the functions got as observed resources.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../../internal/framework/managed/resource/managed.ts';
import { instanceMappingTypes } from '../../../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { crdsOf } from '../../../compositions/composite-crd.ts';
import { inputsOf, mappingExamples, readObjects, renderedPath } from '../../../compositions/stages.ts';
import { installCrds } from '../../../environment/install-crds.ts';
import { type ManagedObject, managedObject } from '../../harness/mappings/managed-object.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';
import { type AsCrossplane, asCrossplane } from './as-crossplane.ts';
import { type DatabaseSources, databaseSources, INSTANCE_ID } from './database-sources.ts';
import { expectObserved, recording } from './observed-records.ts';

let environment: TestEnvironment;
let sources: DatabaseSources;
let crossplane: AsCrossplane;
beforeAll(async () => {
  const names: string[] = [];
  for (const { composite } of mappingExamples) {
    for (const { metadata } of await readObjects(composite)) names.push(metadata.name);
  }
  // Crossplane's own label distinguishes these mappings from those of other tests.
  environment = await startTestEnvironment({
    flags: { watchLabelSelector: `crossplane.io/composite in (${names})` },
  });
  crossplane = asCrossplane(environment.planes.management);
  sources = await databaseSources(environment);
  // Concurrently: the garbage collector takes half a minute to discover new kinds.
  const definitions = await Promise.all(
    mappingExamples.map((example) => readObjects(inputsOf(example, 'composed').definition)),
  );
  await installCrds(environment.planes.management, definitions.flat().flatMap(crdsOf));
});
afterAll(() => environment.stop());

describe.each(mappingExamples)('the Composition of $name', (example) => {
  let composite: KubeObject;
  let mappings: ManagedObject<Managed>[];

  test('an API server accepts the composed resources, and the mappings wait for their sources', async () => {
    const [asked] = (await readObjects(example.composite)) as [KubeObject];
    await sources.openTo(teamOf(asked));
    composite = await crossplane.apply(asked);

    expect(await crossplane.applyStatus(example, 'composed')).toMatchObject({
      Synced: 'True',
      Ready: 'False',
    });
    const [, ...composed] = await readObjects(renderedPath(example.name, 'composed'));
    mappings = [];
    for (const resource of composed) mappings.push(managedOf(await crossplane.compose(resource, composite)));
    await Promise.all(mappings.map((mapping) => mapping.untilReason('Synced', 'Waiting')));
    await expectObserved(example, 'waiting', observing(mappings));
    if (!recording)
      expect(await crossplane.applyStatus(example, 'waiting')).toMatchObject({
        Synced: 'True',
        Ready: 'False',
      });
  });

  test('Ready mappings make a Ready composite with its status', async () => {
    await sources.give();
    await Promise.all(mappings.map((mapping) => mapping.untilReady()));
    await expectObserved(example, 'ready', observing(mappings));
    if (example.stages.includes('grown'))
      await expectObserved(example, 'grown', observing(mappings.slice(0, -1)));
    if (!recording)
      expect(await crossplane.applyStatus(example, 'ready')).toMatchObject({ Synced: 'True', Ready: 'True' });
    const { namespace, namespaces = [namespace] } = (composite as unknown as Asked).spec;
    const found = environment.simulator.store.mappings(INSTANCE_ID).map(({ secondaryID }) => secondaryID);
    expect(found.sort()).toEqual([...namespaces].sort());
  });

  test('when it is deleted, garbage collection deletes the mappings, also in HANA Cloud', async () => {
    await crossplane.delete(composite);
    await Promise.all(mappings.map((mapping) => mapping.untilGone(120_000)));
    expect(environment.simulator.store.mappings(INSTANCE_ID)).toEqual([]);
    await sources.take();
  });
});

interface Asked {
  readonly spec: { readonly namespace?: string; readonly namespaces?: readonly string[] };
}

const teamOf = ({ metadata }: KubeObject): string =>
  metadata.namespace ?? metadata.labels?.['crossplane.io/claim-namespace'] ?? '';

const types: readonly ResourceType<Managed>[] = [
  ...Object.values(kymaInstanceMappingTypes),
  ...Object.values(instanceMappingTypes),
];

/** A composed resource as an object of the provider. */
function managedOf({ apiVersion, kind, metadata }: KubeObject): ManagedObject<Managed> {
  const type = types.find((each) => apiVersionOf(each) === apiVersion && each.kind === kind);
  if (type === undefined) throw new Error(`${apiVersion} ${kind} is not ours`);
  return managedObject<Managed>(environment.management, type, metadata.name, metadata.namespace);
}

const observing = (mappings: readonly ManagedObject<Managed>[]) => async () => ({
  objects: await Promise.all(mappings.map((mapping) => mapping.get())),
});

/**
 * Each Composition of examples/composition from end to end but for Crossplane itself: the output of its functions for a
 * composite resource is applied, strictly, to a real API server; the provider reconciles it; and its result is what the
 * functions got as observed resources. With RECORD=1 that is recorded, for `make render-compositions`.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { instanceMappingTypes } from '../../../../internal/controllers/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../../internal/controllers/inventory/kymainstancemapping/resource.ts';
import type { KubeObject } from '../../../../internal/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../../../internal/kube/object/resource-type.ts';
import type { Managed } from '../../../../internal/runtime/resource/managed.ts';
import { crdsOf } from '../../../compositions/composite-crd.ts';
import {
  type CompositionExample,
  compositionExamples,
  inputsOf,
  observedPath,
  readObjects,
  renderedPath,
  type Stage,
} from '../../../compositions/stages.ts';
import { eventually } from '../../../environment/eventually.ts';
import { installCrds } from '../../../environment/install-crds.ts';
import { asRecorded } from '../../../gitops/recorded-objects.ts';
import { type ManagedObject, managedObject } from '../../harness/mappings/managed-object.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';
import { type DatabaseSources, databaseSources, INSTANCE_ID } from './database-sources.ts';

/** What is rendered of what this run observes comes after it. */
const recording = process.env.RECORD === '1';

const root = new URL('../../../../', import.meta.url);

let environment: TestEnvironment;
let sources: DatabaseSources;
beforeAll(async () => {
  const names: string[] = [];
  for (const { composite } of compositionExamples) {
    for (const { metadata } of await readObjects(composite)) names.push(metadata.name);
  }
  // Crossplane's own label distinguishes these mappings from those of other tests.
  environment = await startTestEnvironment({
    flags: { watchLabelSelector: `crossplane.io/composite in (${names})` },
  });
  sources = await databaseSources(environment);
  // Concurrently: the garbage collector takes half a minute to discover new kinds.
  const definitions = await Promise.all(
    compositionExamples.map((example) => readObjects(inputsOf(example, 'composed').definition)),
  );
  await installCrds(environment.planes.management, definitions.flat().flatMap(crdsOf));
});
afterAll(() => environment.stop());

describe.each(compositionExamples)('the Composition of $name', (example) => {
  let composite: KubeObject;
  let mappings: ManagedObject<Managed>[];

  test('an API server accepts the composed resources, and the mappings wait for their sources', async () => {
    const [asked] = (await readObjects(example.composite)) as [KubeObject];
    await sources.openTo(teamOf(asked));
    composite = await applyStrictly(asked);

    await expectComposite('composed', { Synced: 'True', Ready: 'False' });
    const [, ...composed] = await readObjects(renderedPath(example.name, 'composed'));
    mappings = [];
    for (const resource of composed) mappings.push(await compose(resource, composite));
    await Promise.all(mappings.map((mapping) => mapping.untilReason('Synced', 'Waiting')));
    await expectObserved(example, 'waiting', mappings);
    if (!recording) await expectComposite('waiting', { Synced: 'True', Ready: 'False' });
  });

  test('Ready mappings make a Ready composite with its status', async () => {
    await sources.give();
    await Promise.all(mappings.map((mapping) => mapping.untilReady()));
    await expectObserved(example, 'ready', mappings);
    if (example.stages.includes('grown')) await expectObserved(example, 'grown', mappings.slice(0, -1));
    if (!recording) await expectComposite('ready', { Synced: 'True', Ready: 'True' });
    const { namespace, namespaces = [namespace] } = (composite as unknown as Asked).spec;
    const found = environment.simulator.store.mappings(INSTANCE_ID).map(({ secondaryID }) => secondaryID);
    expect(found.sort()).toEqual([...namespaces].sort());
  });

  test('when it is deleted, garbage collection deletes the mappings, also in HANA Cloud', async () => {
    await request('DELETE', composite);
    await Promise.all(mappings.map((mapping) => mapping.untilGone(120_000)));
    expect(environment.simulator.store.mappings(INSTANCE_ID)).toEqual([]);
    await sources.take();
  });

  /** What the functions made of the composite resource fits its definition: applied, strictly, with its status. */
  async function expectComposite(stage: Stage, conditions: Readonly<Record<string, string>>): Promise<void> {
    const [rendered] = (await readObjects(renderedPath(example.name, stage))) as [Rendered];
    const { apiVersion, kind, status } = rendered;
    const { name, namespace } = composite.metadata;
    const metadata = namespace === undefined ? { name } : { name, namespace };
    expect(rendered.metadata).toMatchObject(metadata);
    const applied = await request('PATCH', { apiVersion, kind, metadata, status } as Rendered, '/status');
    expect(applied).toMatchObject({ apiVersion, kind, status });
    const stored = (applied as Rendered).status.conditions.map((each) => [each.type, each.status]);
    expect(Object.fromEntries(stored)).toMatchObject(conditions);
  }
});

interface Rendered extends KubeObject {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

interface Asked {
  readonly spec: { readonly namespace?: string; readonly namespaces?: readonly string[] };
}

const teamOf = ({ metadata }: KubeObject): string =>
  metadata.namespace ?? metadata.labels?.['crossplane.io/claim-namespace'] ?? '';

const types: readonly ResourceType<Managed>[] = [
  ...Object.values(kymaInstanceMappingTypes),
  ...Object.values(instanceMappingTypes),
];

/** As Crossplane does: owned by the composite resource, which exists. */
async function compose(rendered: KubeObject, composite: KubeObject): Promise<ManagedObject<Managed>> {
  const type = types.find(
    (each) => apiVersionOf(each) === rendered.apiVersion && each.kind === rendered.kind,
  );
  if (type === undefined) throw new Error(`${rendered.apiVersion} ${rendered.kind} is not ours`);
  const ownerReferences = rendered.metadata.ownerReferences?.map((owner) => ({
    ...owner,
    uid: composite.metadata.uid ?? '',
  }));
  const applied = await applyStrictly({
    ...rendered,
    metadata: { ...rendered.metadata, ...(ownerReferences ? { ownerReferences } : {}) },
  });
  return managedObject<Managed>(
    environment.management,
    type,
    applied.metadata.name,
    applied.metadata.namespace,
  );
}

/** What the provider leaves is what the functions were shown. */
async function expectObserved(
  { name }: CompositionExample,
  stage: Exclude<Stage, 'composed'>,
  mappings: readonly ManagedObject<Managed>[],
): Promise<void> {
  const path = observedPath(name, stage);
  const now = async () =>
    Promise.all(
      mappings.map(async (mapping) => {
        const object = await mapping.get();
        const [owner] = object.metadata.ownerReferences ?? [];
        const [first] = (await readObjects(renderedPath(name, 'composed'))).slice(1);
        const rendered = first?.metadata.ownerReferences?.[0]?.uid ?? '';
        const recorded = asRecorded(object, owner === undefined ? {} : { [owner.uid]: rendered });
        return { ...recorded, metadata: { ...recorded.metadata, labels: object.metadata.labels } };
      }),
    );
  if (recording) {
    const text = (await now()).map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
    await writeFile(new URL(path, root), `# Recorded by \`make render-compositions\`. Do not edit.\n${text}`);
  }
  const recorded = await readObjects(path);
  await eventually(async () => expect(await now()).toEqual(recorded));
}

const applyStrictly = (object: KubeObject): Promise<KubeObject> => request('PATCH', object);

async function request(
  method: 'PATCH' | 'DELETE',
  object: KubeObject,
  subresource = '',
): Promise<KubeObject> {
  const { name, namespace } = object.metadata;
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const plural = `${object.kind.toLowerCase()}s`;
  const query = method === 'PATCH' ? '?fieldManager=crossplane&force=true&fieldValidation=Strict' : '';
  const path = `/apis/${object.apiVersion}${within}/${plural}/${name}${subresource}${query}`;
  const { status, body } = await environment.planes.management.request(path, {
    method,
    ...(method === 'PATCH' ? { contentType: 'application/apply-patch+yaml', body: object } : {}),
  });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body as KubeObject;
}

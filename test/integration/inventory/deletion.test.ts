import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { FaultAction, FaultMatch } from '../../simulators/hana-cloud/faults/faults.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { Scenario, SourceName } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

async function readyMapping(): Promise<Scenario> {
  const scenario = await environment.scenario();
  await scenario.createReady();
  return scenario;
}

describe('a deletion', () => {
  test.concurrent('deletes the mapping, and waits for HANA Cloud’s confirmation', async () => {
    const scenario = await readyMapping();
    const mark = scenario.hana.mark();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
    expect(scenario.hana.calls(mark)).toEqual(['list', 'delete', 'list']);
    await scenario.untilEvent('DeletedExternalResource');
  });

  test.concurrent('that ends before the create does leaves no mapping behind', async () => {
    const scenario = await environment.scenario();
    await scenario.applySources();
    scenario.hana.fault({ route: 'create', first: 1 }, { kind: 'delay', ms: 1500 });
    await scenario.create();
    await eventually(() => expect(scenario.hana.writes()).toEqual(['create']));
    // As the API server does when it began the deletion before it stored the finalizer.
    await scenario.patch({ metadata: { finalizers: null } });
    await scenario.delete();
    await scenario.untilGone();
    await eventually(() => expect(scenario.hana.writes()).toEqual(['create', 'delete']));
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('in the foreground does not wait for the garbage collector, which waits for the provider', async () => {
    const scenario = await readyMapping();
    await scenario.delete('Foreground');
    // The collector may take half a minute to discover new kinds.
    await eventually(async () => {
      const finalizers = (await scenario.find())?.metadata.finalizers ?? [];
      expect(finalizers).not.toContain('finalizer.managedresource.crossplane.io');
    });
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('waits for finalizers of others, and goes on when they are gone', async () => {
    const scenario = await readyMapping();
    const { metadata } = await scenario.get();
    await scenario.patch({
      metadata: { finalizers: [...(metadata.finalizers ?? []), 'test.example.org/in-use'] },
    });
    const mark = scenario.hana.mark();
    await scenario.delete();
    await eventually(() => expect(scenario.hana.calls(mark)).toContain('list'));
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    await scenario.patch({ metadata: { finalizers: metadata.finalizers ?? [] } });
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent.each<{ gone: SourceName[] }>([
    { gone: ['instance'] },
    { gone: ['config'] },
    { gone: ['instance', 'config'] },
  ])('needs none of the sources that described the mapping: $gone', async ({ gone }) => {
    const scenario = await readyMapping();
    await Promise.all(gone.map((source) => scenario.remove(source)));
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('uses the recorded identity, even if the references point elsewhere by now', async () => {
    const scenario = await readyMapping();
    await scenario.remove('secret');
    await scenario.delete();
    await scenario.untilReason('Synced', 'Waiting');
    const ref = { name: 'elsewhere', namespace: 'elsewhere' };
    await scenario.patch({ spec: { forProvider: { serviceInstanceRef: ref, clusterIdConfigMapRef: ref } } });
    await scenario.apply('secret');
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('is done where a third party has deleted the mapping', async () => {
    const scenario = await readyMapping();
    scenario.hana.removeMapping();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.hana.writes()).toEqual(['create']);
  });

  test.concurrent('of a mapping that was never created needs no source', async () => {
    const scenario = await environment.scenario();
    await scenario.create();
    await scenario.untilReason('Synced', 'Waiting');
    await scenario.removeKubeconfig();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.hana.calls()).toEqual([]);
  });

  test.concurrent.each([
    { title: 'deletionPolicy Orphan', spec: { deletionPolicy: 'Orphan' as const } },
    {
      title: 'policies without Delete',
      spec: { managementPolicies: ['Observe', 'Create', 'Update'] as const },
    },
  ])('with $title lets the mapping stay', async ({ spec }) => {
    const scenario = await environment.scenario();
    await scenario.createReady({
      spec: { ...spec, managementPolicies: [...(spec.managementPolicies ?? ['*'])] },
    });
    const mark = scenario.hana.mark();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.hana.calls(mark)).toEqual([]);
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });

  test.concurrent('whose policies name Delete wins over deletionPolicy Orphan', async () => {
    const scenario = await environment.scenario();
    const managementPolicies = ['Observe' as const, 'Create' as const, 'Delete' as const];
    await scenario.createReady({ spec: { deletionPolicy: 'Orphan', managementPolicies } });
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});

describe('while HANA Cloud', () => {
  test.concurrent.each<{ title: string; on: FaultMatch; fault: FaultAction; says: string }>([
    { title: 'responds 503', on: {}, fault: { kind: 'unavailable' }, says: '503' },
    {
      title: 'is behind a router with no route',
      on: { route: 'list' },
      fault: { kind: 'router-404' },
      says: 'router',
    },
    {
      title: 'is behind a gateway with no route, which responds with JSON',
      on: { route: 'list' },
      fault: { kind: 'status', status: 404, body: { message: 'no Route matched with those values' } },
      says: 'the body is not an error of its contract',
    },
    {
      title: 'is behind a gateway that loses its route between list and delete',
      on: { route: 'delete' },
      fault: { kind: 'status', status: 404, body: { statusCode: 404, message: 'Resource not found' } },
      says: 'the body is not an error of its contract',
    },
    {
      title: 'loses its route between list and delete',
      on: { route: 'delete' },
      fault: { kind: 'router-404' },
      says: 'router',
    },
    {
      title: 'lists invalid JSON',
      on: { route: 'list' },
      fault: { kind: 'malformed' },
      says: 'not JSON',
    },
    { title: 'refuses the token', on: {}, fault: { kind: 'expired-token' }, says: '401' },
  ])(
    '$title the mapping does not count as gone, and the deletion goes on afterwards',
    async ({ on, fault, says }) => {
      const scenario = await readyMapping();
      const rule = scenario.hana.fault(on, fault);
      await scenario.delete();
      const synced = await scenario.untilReason('Synced', 'ReconcileError');
      expect(synced.message).toContain(says);
      expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
      await scenario.untilEvent(
        on.route === 'delete' ? 'CannotDeleteExternalResource' : 'CannotObserveExternalResource',
      );

      rule.remove();

      await scenario.untilGone();
      expect(scenario.mappings()).toEqual([]);
    },
  );
});

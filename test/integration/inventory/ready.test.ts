import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe.each(['local', 'remote'] as const)('with %s sources', (sources) => {
  test.concurrent('a mapping whose sources exist becomes Ready and is in HANA Cloud', async () => {
    const scenario = await environment.scenario({ sources });
    await scenario.applySources();
    await scenario.create();

    const mapping = await scenario.untilReady();

    expect(scenario.mappings()).toEqual([
      {
        platform: 'kubernetes',
        primaryID: scenario.clusterID,
        secondaryID: scenario.namespace,
        isDefault: false,
      },
    ]);
    expect(mapping.metadata.annotations?.['crossplane.io/external-name']).toBe(scenario.externalName);
    expect(mapping.metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(mapping.status?.atProvider).toEqual({
      kyma: {
        serviceInstanceID: scenario.instanceID,
        serviceInstanceName: 'hana',
        serviceInstanceReady: true,
        clusterID: scenario.clusterID,
      },
      hana: {
        mappingId: {
          serviceInstanceID: scenario.instanceID,
          primaryID: scenario.clusterID,
          secondaryID: scenario.namespace,
        },
        ready: true,
      },
    });
    expect(mapping.status?.conditions?.map(({ type }) => type)).toEqual(['Synced', 'Ready', 'UpToDate']);
    await eventually(async () => {
      const events = await scenario.events();
      expect(events.map(({ reason }) => reason)).toEqual(['CreatedExternalResource']);
    });
  });
});

describe.each(['local', 'remote'] as const)('a namespaced mapping with %s sources', (sources) => {
  test.concurrent('becomes Ready, is in HANA Cloud, and is deleted there with its resource', async () => {
    const scenario = await environment.scenario({ sources, scope: 'namespaced' });
    const mapping = await scenario.createReady();

    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    expect(mapping.metadata).toMatchObject({
      namespace: scenario.namespace,
      annotations: { 'crossplane.io/external-name': scenario.externalName },
      finalizers: ['finalizer.managedresource.crossplane.io'],
    });
    expect(mapping.status?.atProvider?.kyma?.clusterID).toBe(scenario.clusterID);
    await eventually(async () => {
      const events = await scenario.events();
      expect(events.map(({ reason }) => reason)).toEqual(['CreatedExternalResource']);
    });

    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });
});

test.concurrent('sources that now describe another cluster move the mapping: the old one is deleted before the new one is created', async () => {
  const scenario = await environment.scenario();
  await scenario.createReady();
  const mark = scenario.hana.mark();
  const primaryID = uniqueName('c');

  await scenario.apply('config', { data: { CLUSTER_ID: primaryID } });
  await scenario.reconcile();

  const moved = await scenario.untilReady();
  expect(moved.metadata.annotations?.['crossplane.io/external-name']).toBe(
    `${scenario.instanceID}/${primaryID}/${scenario.namespace}`,
  );
  expect(moved.status?.atProvider?.hana?.mappingId?.primaryID).toBe(primaryID);
  expect(scenario.hana.writes(mark)).toEqual(['delete', 'create']);
  expect(scenario.mappings()).toEqual([scenario.hana.mapping({ primaryID })]);
  await scenario.delete();
  await scenario.untilGone();
  expect(scenario.mappings()).toEqual([]);
});

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { argoHealthChecks } from '../gitops/argo-health.ts';
import { fluxHealthChecks } from '../gitops/flux-health.ts';
import { type Composite, condition, rendered } from './rendered.ts';
import {
  compositionExamples,
  digestLine,
  inputsDigest,
  inputsOf,
  mappingExamples,
  readObjects,
  renderedPath,
} from './stages.ts';

const root = new URL('../../', import.meta.url);

const stages = compositionExamples.flatMap((example) =>
  example.stages.map((stage) => ({ name: example.name, stage, example })),
);

test.each(stages)('$name, $stage: the record is of the files as they are', async ({ example, stage }) => {
  const record = await readFile(new URL(renderedPath(example.name, stage), root), 'utf8');
  // Else `make render-compositions` renders anew.
  expect(record).toContain(digestLine(await inputsDigest(example, stage)));
});

test.each(compositionExamples)('$name names only functions that functions.yaml installs', async (example) => {
  const { functions, composition } = inputsOf(example, 'composed');
  const installed = (await readObjects(functions)).map(({ metadata }) => metadata.name);
  const [{ spec }] = (await readObjects(composition)) as unknown as [
    { spec: { pipeline: { functionRef: { name: string } }[] } },
  ];
  const named = spec.pipeline.map(({ functionRef }) => functionRef.name);
  expect(named).not.toEqual([]);
  expect(installed).toEqual(expect.arrayContaining(named));
});

describe.each([
  {
    name: 'team-database',
    group: 'inventory.hana.m.orchestrate.cloud.sap',
    secret: { name: 'kyma-production' },
    namespace: 'checkout',
  },
  {
    name: 'team-database-v1',
    group: 'inventory.hana.orchestrate.cloud.sap',
    secret: { name: 'kyma-production', namespace: 'team-shop' },
    namespace: 'storefront',
  },
])('$name', ({ name, group, secret, namespace }) => {
  test('three fields and what the platform knows of the cluster make one mapping', async () => {
    const { composite, composed } = await rendered(name, 'composed');
    expect(composed).toHaveLength(1);
    expect(composed[0]).toMatchObject({
      apiVersion: `${group}/v1alpha1`,
      kind: 'KymaInstanceMapping',
      spec: {
        forProvider: {
          kymaConnectionRef: { secretRef: secret },
          serviceInstanceRef: { name: 'orders', namespace: 'databases' },
          adminBindingRef: { name: 'hana-admin', namespace: 'databases' },
          targetNamespace: namespace,
        },
      },
    });
    expect(condition(composite, 'Ready')?.status).toBe('False');
  });

  test('it is Ready when its mapping is, and has the status of the mapping', async () => {
    expect(condition((await rendered(name, 'waiting')).composite, 'Ready')?.status).toBe('False');
    const { composite } = await rendered(name, 'ready');
    expect(condition(composite, 'Ready')?.status).toBe('True');
    expect(composite.status).toMatchObject({
      instanceID: '2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10',
      clusterID: 'c-1a2b3c4d',
      mapping: `2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10/c-1a2b3c4d/${namespace}`,
    });
  });

  test('it reports what its mapping waits for, until the mapping is Ready', async () => {
    const { composite } = await rendered(name, 'waiting');
    expect(composite.status.message).toContain('ServiceInstance databases/orders not found');
    expect((await rendered(name, 'ready')).composite.status).not.toHaveProperty('message');
  });
});

test.each(stages)('$name, $stage: Argo CD and Flux see how far it is', async ({ name, stage }) => {
  const { composite } = await rendered(name, stage);
  const health = await (await argoHealthChecks()).healthOf(composite);
  const done = stage === 'ready';
  expect(health?.status).toBe(done ? 'Healthy' : 'Progressing');
  expect((await fluxHealthChecks()).statusOf(composite)).toBe(done ? 'Current' : 'InProgress');
});

test('no two examples map the same database to the same namespace, so that all can be applied together', async () => {
  const asked = await Promise.all(
    mappingExamples.map(async ({ composite }) => {
      const [{ spec }] = (await readObjects(composite)) as [Composite];
      const { namespace, namespaces = [namespace] } = spec;
      return namespaces.map((each) => [spec.cluster, spec.database, each].join('/'));
    }),
  );
  const all = asked.flat();
  expect(new Set(all).size).toBe(all.length);
});

test('the composite resource of the example is the one that Crossplane creates for the claim', async () => {
  const [claim] = (await readObjects('examples/composition/team-database-v1/claim.yaml')) as Composite[];
  const [composite] = (await readObjects(
    'examples/composition/team-database-v1/composite.yaml',
  )) as Composite[];
  expect(composite?.spec).toMatchObject({
    ...claim?.spec,
    claimRef: { kind: claim?.kind, name: claim?.metadata.name, namespace: claim?.metadata.namespace },
  });
});

describe('shared-database', () => {
  const name = 'shared-database';
  const namespaces = ['billing', 'shipping', 'returns'];

  test('creates a mapping for each namespace', async () => {
    const { composite, composed } = await rendered(name, 'composed');
    const targets = composed.map(
      ({ spec }) => (spec as { forProvider: { targetNamespace: string } }).forProvider,
    );
    expect(targets.map(({ targetNamespace }) => targetNamespace).sort()).toEqual([...namespaces].sort());
    expect(composite.status).toMatchObject({ mapped: '0/3' });
  });

  test('reports what its mappings wait for', async () => {
    const { composite } = await rendered(name, 'waiting');
    expect(condition(composite, 'Mapped')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('ServiceInstance databases/orders not found'),
    });
    for (const said of composite.status.namespaces as { message: string }[]) {
      expect(said.message).toContain('ServiceInstance databases/orders not found');
    }
  });

  test('is Ready when all of its mappings are', async () => {
    const { composite } = await rendered(name, 'ready');
    expect(condition(composite, 'Ready')?.status).toBe('True');
    expect(condition(composite, 'Mapped')?.status).toBe('True');
    const instanceID = '2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10';
    expect(composite.status).toMatchObject({
      instanceID,
      mapped: '3/3',
      namespaces: namespaces.map((each) => ({
        name: each,
        ready: true,
        mapping: `${instanceID}/c-1a2b3c4d/${each}`,
      })),
    });
  });

  test('is no longer Ready while a namespace that was added has no mapping yet', async () => {
    const { composite, composed } = await rendered(name, 'grown');
    expect(composed).toHaveLength(3);
    expect(condition(composite, 'Ready')?.status).toBe('False');
    expect(composite.status).toMatchObject({ mapped: '2/3' });
  });
});

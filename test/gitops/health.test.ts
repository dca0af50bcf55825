import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { packageCrds } from '../environment/install-crds.ts';
import { type ArgoHealthChecks, argoHealthChecks } from './argo-health.ts';
import { type FluxHealthChecks, fluxHealthChecks } from './flux-health.ts';
import { kstatus } from './kstatus.ts';
import { PHASES, type Phase, verdicts } from './phases.ts';
import { RECORDED_KINDS, readRecordedObjects } from './recorded-objects.ts';

let argo: ArgoHealthChecks;
let flux: FluxHealthChecks;
beforeAll(async () => {
  argo = await argoHealthChecks();
  flux = await fluxHealthChecks();
});

describe.each(RECORDED_KINDS)('a recorded %s', (kind) => {
  test.each(PHASES)('that is %s: Argo CD, Flux and kstatus have the expected result', async (phase) => {
    const object = (await readRecordedObjects(kind))[phase];
    if (object === undefined) throw new Error('not recorded; run `make record-objects`');
    const health = await argo.healthOf(object);
    expect({ argo: health?.status, flux: flux.statusOf(object), kstatus: kstatus(object) }).toEqual(
      verdicts[phase],
    );
  });

  test.each(['waiting', 'ready, source gone', 'ready, unsynced', 'conflict', 'missing', 'deleting'] as const)(
    'that is %s: Argo CD shows why, in the words of the resource',
    async (phase) => {
      const object = (await readRecordedObjects(kind))[phase];
      const synced = object?.status?.conditions?.find(({ type }) => type === 'Synced');
      expect(synced?.message).toMatch(/.{20}/);
      expect((await argo.healthOf(object as KubeObject))?.message).toContain(synced?.message);
    },
  );
});

/**
 * Argo CD skips an update that changes the status only, unless the health status changes. A message of an object that is
 * not observed yet would therefore stay until the next periodic refresh of the Application.
 */
describe('the first observation changes the health status, so that Argo CD shows its message', () => {
  const NOT_OBSERVED: readonly Phase[] = ['no status yet', 'changed'];

  test.each(RECORDED_KINDS)('a recorded %s is Unknown before it, and not after it', async (kind) => {
    const objects = await readRecordedObjects(kind);
    for (const phase of PHASES) {
      const health = await argo.healthOf(objects[phase] as KubeObject);
      expect([phase, health?.status === 'Unknown']).toEqual([phase, NOT_OBSERVED.includes(phase)]);
    }
  });

  test('an object that was paused is Unknown until the provider observes it again', async () => {
    const { paused } = await readRecordedObjects('kymainstancemapping-namespaced');
    if (paused === undefined) throw new Error('not recorded');
    const { annotations = {}, ...metadata } = paused.metadata;
    const { 'crossplane.io/paused': _, ...others } = annotations;
    const resumed = { ...paused, metadata: { ...metadata, annotations: others } };
    expect((await argo.healthOf(resumed))?.status).toBe('Unknown');
  });
});

describe('an object that a run does not leave behind', () => {
  const ready = async () => {
    const { ready: object } = await readRecordedObjects('kymainstancemapping-namespaced');
    if (object === undefined) throw new Error('not recorded');
    return object;
  };

  test.each([
    ['no conditions', { conditions: [] }, 'Unknown', 'InProgress'],
    [
      'only Ready',
      { conditions: [{ type: 'Ready', status: 'True', reason: 'Available' }] },
      'Unknown',
      'InProgress',
    ],
    [
      'Synced that is not known',
      {
        conditions: [
          { type: 'Synced', status: 'Unknown', reason: 'x' },
          { type: 'Ready', status: 'True', reason: 'Available' },
        ],
      },
      'Unknown',
      'InProgress',
    ],
    [
      'Ready before Synced=False',
      {
        conditions: [
          { type: 'Ready', status: 'True', reason: 'Available' },
          { type: 'Synced', status: 'False', reason: 'ReconcileError', message: 'boom' },
        ],
      },
      'Degraded',
      'Failed',
    ],
    [
      'a change on its way',
      {
        conditions: [
          { type: 'Synced', status: 'True', reason: 'ReconcileSuccess' },
          { type: 'Ready', status: 'True', reason: 'Available' },
          { type: 'UpToDate', status: 'False', reason: 'UpdateRequested', message: 'isDefault' },
        ],
      },
      'Progressing',
      'InProgress',
    ],
  ] as const)('%s', async (_, status, health, state) => {
    const object = { ...(await ready()), status };
    expect((await argo.healthOf(object))?.status).toBe(health);
    expect(flux.statusOf(object)).toBe(state);
  });

  test('a composite resource with conditions of an earlier metadata.generation is not done', async () => {
    const conditions = [
      { type: 'Synced', status: 'True', reason: 'ReconcileSuccess', observedGeneration: 1 },
      { type: 'Ready', status: 'True', reason: 'Available', observedGeneration: 1 },
    ];
    const composite = (generation: number) => ({
      apiVersion: 'platform.example.org/v1alpha1',
      kind: 'TeamDatabase',
      metadata: { name: 'orders', namespace: 'team-shop', generation },
      status: { conditions },
    });
    expect((await argo.healthOf(composite(1)))?.status).toBe('Healthy');
    expect((await argo.healthOf(composite(2)))?.status).toBe('Unknown');
    expect([flux.statusOf(composite(1)), flux.statusOf(composite(2))]).toEqual(['Current', 'InProgress']);
  });

  test('empty managementPolicies pause as the annotation does', async () => {
    const object = await ready();
    object.spec.managementPolicies = [];
    expect((await argo.healthOf(object))?.status).toBe('Suspended');
  });

  test('a ProviderConfig is healthy, and while its deletion waits its message names the users', async () => {
    const config = {
      apiVersion: 'hana.m.sap.crossplane.io/v1alpha1',
      kind: 'ClusterProviderConfig',
      metadata: { name: 'default' },
    };
    const terminating = {
      ...config,
      metadata: { ...config.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { users: 2, conditions: [{ type: 'Terminating', status: 'True', message: '2 users' }] },
    };
    expect(await argo.healthOf(config)).toMatchObject({ status: 'Healthy' });
    expect(await argo.healthOf({ ...config, status: { users: 2 } } as KubeObject)).toMatchObject({
      message: 'Users: 2',
    });
    expect(await argo.healthOf(terminating)).toEqual({
      status: 'Progressing',
      message: 'Being deleted: 2 users',
    });
  });
});

test('every kind of the package but usages has a health check, and managed kinds have one in Flux', async () => {
  const kinds = (await packageCrds()).map(({ spec }) => `${spec.group}_${spec.names.kind}`);
  const checked = kinds.filter((kind) => !kind.endsWith('_ProviderConfigUsage'));
  expect(argo.kinds).toEqual(expect.arrayContaining(checked));
  const managed = kinds.filter((kind) => kind.startsWith('inventory.'));
  expect(managed).toHaveLength(4);
  const ofFlux = flux.kinds.map((kind) => kind.replace(/\/.*\//, '_'));
  expect(ofFlux).toEqual(expect.arrayContaining(managed));
});

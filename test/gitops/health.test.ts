import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/kube/object.ts';
import { packageCrds } from '../landscape/install-crds.ts';
import { type ArgoHealthChecks, argoHealthChecks } from './argo-health.ts';
import { exampleManifests } from './example-manifests.ts';
import { type FluxHealthChecks, fluxHealthChecks } from './flux-health.ts';
import { kstatus } from './kstatus.ts';
import { PHASES, verdicts } from './phases.ts';
import { RECORDED_KINDS, readRecordedObjects } from './recorded-objects.ts';

let argo: ArgoHealthChecks;
let flux: FluxHealthChecks;
beforeAll(async () => {
  argo = await argoHealthChecks();
  flux = await fluxHealthChecks();
});

describe.each(RECORDED_KINDS)('a recorded %s', (kind) => {
  test.each(PHASES)('that is %s: Argo CD, Flux and kstatus say what they should', async (phase) => {
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

describe('an object that a run does not leave behind', () => {
  const ready = async () => {
    const { ready: object } = await readRecordedObjects('kymainstancemapping-namespaced');
    if (object === undefined) throw new Error('not recorded');
    return object;
  };

  test.each([
    ['no conditions', { conditions: [] }, 'Progressing', 'InProgress'],
    [
      'only Ready',
      { conditions: [{ type: 'Ready', status: 'True', reason: 'Available' }] },
      'Progressing',
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
      'Progressing',
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

  test('a composite resource whose conditions are of an earlier generation is in progress', async () => {
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
    expect((await argo.healthOf(composite(2)))?.status).toBe('Progressing');
    expect([flux.statusOf(composite(1)), flux.statusOf(composite(2))]).toEqual(['Current', 'InProgress']);
  });

  test('empty managementPolicies pause as the annotation does', async () => {
    const object = await ready();
    object.spec.managementPolicies = [];
    expect((await argo.healthOf(object))?.status).toBe('Suspended');
  });

  test('a ProviderConfig is healthy, and while its deletion waits it says for whom', async () => {
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

test('every kind of the package has a health check or is hidden, and managed kinds have one in Flux', async () => {
  const kinds = (await packageCrds()).map(({ spec }) => `${spec.group}_${spec.names.kind}`);
  const hidden = kinds.filter((kind) => kind.endsWith('_ProviderConfigUsage'));
  expect(argo.kinds).toEqual(expect.arrayContaining(kinds.filter((kind) => !hidden.includes(kind))));
  const managed = kinds.filter((kind) => kind.startsWith('inventory.'));
  expect(managed).toHaveLength(4);
  const ofFlux = flux.kinds.map((kind) => kind.replace(/\/.*\//, '_'));
  expect(ofFlux).toEqual(expect.arrayContaining(managed));

  const [settings] = (await exampleManifests('argocd/argocd-cm.yaml')) as (KubeObject & {
    data: Record<string, string>;
  })[];
  const exclusions = settings?.data['resource.exclusions'] ?? '';
  for (const kind of hidden) expect(exclusions).toContain(kind.split('_')[0]);
});

test('what refers to something comes in a later wave, and does not ask for kinds that are not installed yet', async () => {
  const files = ['0-provider', '1-provider-config', '2-mapping', '3-checkout'];
  const manifests = await Promise.all(files.map((file) => exampleManifests(`argocd/landscape/${file}.yaml`)));
  const waves = manifests
    .flat()
    .map(({ kind, metadata: { annotations = {} } }) => [
      Number(annotations['argocd.argoproj.io/sync-wave']),
      kind,
      annotations['argocd.argoproj.io/sync-options'],
    ]);
  const late = 'SkipDryRunOnMissingResource=true';
  expect(waves).toEqual([
    [0, 'Provider', undefined],
    [1, 'Namespace', undefined],
    [1, 'ClusterProviderConfig', late],
    [2, 'KymaInstanceMapping', late],
    [3, 'Application', undefined],
  ]);
});

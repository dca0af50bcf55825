import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import { groupOf } from '../prepared-object.ts';
import { ANNOTATION_IGNORE_PODS, checkOf } from './check-object.ts';

type Json = Record<string, unknown>;

const objectOf = (apiVersion: string, kind: string, fields: Json, metadata: Json = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'shop', uid: 'own', generation: 1, ...metadata },
  ...fields,
});

/** `ready`, or the reason why not; `failed:` before that of an object that never will be. */
async function readinessOf(object: KubeObject, sets: readonly KubeObject[] = []): Promise<string> {
  const check = checkOf({ group: groupOf(object.apiVersion), kind: object.kind });
  if (check === undefined) return 'not awaited';
  const readiness = await check(object, { replicaSets: async () => sets });
  if (readiness.state === 'ready') return 'ready';
  return `${readiness.state === 'failed' ? 'failed: ' : ''}${readiness.reason}`;
}

const conditions = (status: Readonly<Record<string, string>>) => ({
  conditions: Object.entries(status).map(([type, value]) => ({ type, status: value })),
});

describe('[R71] a Deployment', () => {
  const template = (image: string, labels: Json = {}) => ({ metadata: { labels }, spec: { image } });
  const deployment = (status: Json = {}, spec: Json = {}) =>
    objectOf('apps/v1', 'Deployment', {
      spec: { replicas: 2, template: template('new'), ...spec },
      status: { observedGeneration: 1, ...status },
    });
  const set = (image: string, readyReplicas: number, metadata: Json = {}) =>
    objectOf(
      'apps/v1',
      'ReplicaSet',
      { spec: { template: template(image, { 'pod-template-hash': 'x' }) }, status: { readyReplicas } },
      { ownerReferences: [{ uid: 'own' }], creationTimestamp: '2024-01-02T00:00:00Z', ...metadata },
    );
  const none = 'it has no ReplicaSet of the newest version yet';
  test.each<{ title: string; deployment?: KubeObject; sets: readonly KubeObject[]; readiness: string }>([
    {
      title: 'with a ready pod of the newest version',
      sets: [set('old', 0), set('new', 1)],
      readiness: 'ready',
    },
    {
      title: 'with ready pods of an old version',
      sets: [set('old', 2), set('new', 0)],
      readiness: '0 of 2 replicas are ready',
    },
    { title: 'without a ReplicaSet of the version', sets: [set('old', 2)], readiness: none },
    {
      title: 'with the ReplicaSet of another namespace',
      sets: [set('new', 1, { namespace: 'other' })],
      readiness: none,
    },
    {
      title: 'with the ReplicaSet of another owner',
      sets: [set('new', 1, { ownerReferences: [{ uid: 'o' }] })],
      readiness: none,
    },
    {
      title: 'with two of the version: the older one counts',
      sets: [set('new', 1), set('new', 0, { creationTimestamp: '2024-01-01T00:00:00Z' })],
      readiness: '0 of 2 replicas are ready',
    },
    {
      title: 'that wants no pods',
      deployment: deployment({}, { replicas: 0 }),
      sets: [],
      readiness: 'ready',
    },
    {
      title: 'that is paused: its new version is not rolled out',
      deployment: deployment({}, { paused: true }),
      sets: [set('old', 2)],
      readiness: 'ready',
    },
    {
      title: 'whose status is of an old version',
      deployment: deployment({ observedGeneration: 0 }),
      sets: [set('new', 1)],
      readiness: 'its controller has not seen the newest version yet',
    },
    {
      title: 'that cannot create pods',
      deployment: deployment({
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' }],
      }),
      sets: [set('new', 0)],
      readiness: 'FailedCreate: quota',
    },
  ])('$title', async ({ deployment: given = deployment(), sets, readiness }) => {
    expect(await readinessOf(given, sets)).toBe(readiness);
  });
});

describe('[R71] a StatefulSet', () => {
  test.each<
    [wanted: number, partition: number | undefined, updated: number, ready: number, readiness: string]
  >([
    [3, undefined, 3, 3, 'ready'],
    [3, undefined, 2, 3, '2 of 3 replicas are updated'],
    [3, undefined, 3, 2, '2 of 3 replicas are ready'],
    [3, 2, 1, 3, 'ready'],
    [3, 2, 0, 3, '0 of 1 replica is updated'],
    [3, 3, 0, 3, 'ready'],
    [0, undefined, 0, 0, 'ready'],
  ])(
    '%j replicas, partition %j, %j updated, %j ready',
    async (replicas, partition, updated, ready, readiness) => {
      const updateStrategy = partition === undefined ? {} : { rollingUpdate: { partition } };
      const status = { observedGeneration: 1, updatedReplicas: updated, readyReplicas: ready };
      const set = objectOf('apps/v1', 'StatefulSet', { spec: { replicas, updateStrategy }, status });
      expect(await readinessOf(set)).toBe(readiness);
    },
  );
});

describe('[R71] a DaemonSet', () => {
  test.each<[wanted: number, updated: number, ready: number, observed: number, readiness: string]>([
    [3, 3, 3, 1, 'ready'],
    [3, 3, 1, 1, 'ready'],
    [3, 3, 0, 1, '0 of 3 pods are ready'],
    [3, 2, 3, 1, '2 of 3 pods are updated'],
    [0, 0, 0, 1, 'ready'],
    [0, 0, 0, 0, 'its controller has not seen the newest version yet'],
  ])(
    '%j wanted, %j updated, %j ready, status of version %j',
    async (wanted, updated, ready, observed, readiness) => {
      const set = objectOf('apps/v1', 'DaemonSet', {
        spec: {},
        status: {
          observedGeneration: observed,
          desiredNumberScheduled: wanted,
          updatedNumberScheduled: updated,
          numberReady: ready,
        },
      });
      expect(await readinessOf(set)).toBe(readiness);
    },
  );
});

describe('[R71] other kinds', () => {
  const pod = (status: Json, metadata: Json = {}) => objectOf('v1', 'Pod', { status }, metadata);
  const job = (status: Json, spec: Json = {}) => objectOf('batch/v1', 'Job', { spec, status });
  const crd = (status: Json) => objectOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status });
  test.each<[title: string, object: KubeObject, readiness: string]>([
    ['a running Pod', pod({ phase: 'Running', ...conditions({ Ready: 'True' }) }), 'ready'],
    [
      'a Pod that is not ready',
      pod({ phase: 'Running', ...conditions({ Ready: 'False' }) }),
      'its condition Ready is False',
    ],
    [
      'a running Pod whose disruption did not take place',
      pod({ phase: 'Running', ...conditions({ DisruptionTarget: 'False', Ready: 'True' }) }),
      'ready',
    ],
    ['a Pod that has done its work', pod({ phase: 'Succeeded', ...conditions({ Ready: 'False' }) }), 'ready'],
    [
      'a failed Pod',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'no memory' }),
      'failed: it failed: Evicted no memory',
    ],
    ['a pending Pod', pod({ phase: 'Pending' }), 'its phase is Pending'],
    ['a Pod that terminates', pod({ phase: 'Running' }, { deletionTimestamp: 'x' }), 'it is being deleted'],
    ['a complete Job', job(conditions({ Complete: 'True' })), 'ready'],
    ['a failed Job', job(conditions({ Failed: 'True' })), 'failed: it failed:'],
    ['a Job that runs', job({ succeeded: 1 }, { completions: 2 }), '1 of 2 completions'],
    ['a suspended Job', job({}, { suspend: true }), 'ready'],
    ['an established CRD', crd(conditions({ Established: 'True', NamesAccepted: 'True' })), 'ready'],
    ['a CRD whose names are taken', crd(conditions({ NamesAccepted: 'False' })), 'ready'],
    [
      'a CRD whose names are not looked at yet',
      crd(conditions({ NamesAccepted: 'Unknown' })),
      'it is not established',
    ],
    ['a new CRD', crd({}), 'it is not established'],
    [
      'a DaemonSet whose pods are updated by hand',
      objectOf('apps/v1', 'DaemonSet', {
        spec: { updateStrategy: { type: 'OnDelete' } },
        status: {
          observedGeneration: 1,
          desiredNumberScheduled: 2,
          updatedNumberScheduled: 0,
          numberReady: 2,
        },
      }),
      'ready',
    ],
    ['a ConfigMap', objectOf('v1', 'ConfigMap', {}), 'not awaited'],
  ])('%s', async (_title, object, readiness) => {
    expect((await readinessOf(object)).trim()).toBe(readiness);
  });

  test.each([
    ['apps/v1', 'Deployment', 'ready'],
    ['apps/v1', 'StatefulSet', 'ready'],
    ['apps/v1', 'DaemonSet', 'ready'],
    ['v1', 'Pod', 'ready'],
    ['batch/v1', 'Job', '0 of 1 completions'],
  ])('the annotation to ignore pods: %s %s', async (apiVersion, kind, readiness) => {
    const annotations = { [ANNOTATION_IGNORE_PODS]: 'true' };
    expect(await readinessOf(objectOf(apiVersion, kind, {}, { annotations }))).toBe(readiness);
  });
});

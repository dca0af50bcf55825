import { describe, expect, test } from '@jest/globals';
import type { Shoot, ShootSpec, Worker } from '../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../framework/base/json/json-value.ts';
import { annotationRuntimeGeneration } from '../metadata.ts';
import { worker } from '../runtime/fixtures/runtime.fixture.ts';
import { planUpdate, withRecord, withRecordOf } from './plan-update.ts';
import {
  annotationAppliedFields,
  fieldsOfRenderers,
  otherOwnersOf,
  readAppliedFields,
} from './shoot-fields.ts';

const shootOf = (spec: object, metadata: Partial<Shoot['metadata']> = {}): Shoot =>
  deepFreeze({
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: {
      name: 'one',
      ...metadata,
      annotations: { [annotationRuntimeGeneration]: '1', ...metadata.annotations },
    },
    spec: spec as ShootSpec,
  });
const pools = (...workers: readonly Partial<Worker>[]) => ({ provider: { type: 'aws', workers } });
const recordOf = (shoot: Shoot) => readAppliedFields(shoot, '1');

/** The Shoot after a rendering, with what others then made of it. */
function applied(
  rendered: object,
  others: (spec: Record<string, unknown>) => object = (spec) => spec,
): Shoot {
  const wanted = shootOf(rendered);
  const shoot = withRecord(planUpdate(shootOf({}), wanted, { applied: undefined }).shoot, wanted);
  return deepFreeze({ ...shoot, spec: others(shoot.spec as never) as ShootSpec });
}

const plan = (live: Shoot, wanted: object, leaveDrift = false) => {
  const { shoot, differences } = planUpdate(live, shootOf(wanted), { applied: recordOf(live), leaveDrift });
  return {
    spec: shoot.spec,
    paths: differences.map(({ path, isDrift }) => `${isDrift ? '~' : ''}${path.join('.')}`),
  };
};

describe('what is taken out of the rendering goes, and what it never had stays', () => {
  const full = worker({
    labels: { a: '1', b: '2' },
    taints: [{ key: 'gpu', effect: 'NoSchedule' }],
    sysctls: { 'vm.max_map_count': '1' },
    kubernetes: { kubelet: { maxPods: 100 } },
    machineControllerManager: { machineDrainTimeout: '10m', maxEvictRetries: 3 },
    cri: { name: 'containerd', containerRuntimes: [{ type: 'gvisor' }] },
  });

  test('[I26] all fields of a pool, and a value of one of them', () => {
    const live = applied(pools(full));
    expect(plan(live, pools(worker())).spec).toEqual(pools(worker()));
    const one = worker({ ...full, labels: { b: '2' }, machineControllerManager: { maxEvictRetries: 3 } });
    expect(plan(live, pools(one))).toEqual({
      spec: pools(one),
      paths: [
        'spec.provider.workers.cpu-worker-0.labels.a',
        'spec.provider.workers.cpu-worker-0.machineControllerManager.machineDrainTimeout',
      ],
    });
  });

  test('an empty list or map is the same as none', () => {
    const live = applied(pools(full));
    expect(plan(live, pools(worker({ labels: {}, taints: [] }))).spec).toEqual(pools(worker()));
  });

  test('an object without fields is no difference, and is as a new Shoot has it', () => {
    const kubelet = (fields: object) => pools(worker({ kubernetes: { kubelet: fields } }));
    const empty = kubelet({ maxPods: 100, kubeReserved: {} });
    const reserved = kubelet({ maxPods: 100, kubeReserved: { cpu: '1' } });
    expect(plan(applied(reserved), empty).spec).toEqual(empty);
    expect(plan(applied(kubelet({ maxPods: 100 })), empty)).toMatchObject({ spec: empty, paths: [] });
    expect(plan(applied(empty), empty)).toMatchObject({ spec: empty, paths: [] });
  });

  test.each<[string, object, object]>([
    ['a member of a group', { kubelet: { maxPods: 100, kubeReserved: {} } }, { kubelet: { maxPods: 100 } }],
    ['the last member of a group', { kubelet: { kubeReserved: {} } }, {}],
    ['a group', { version: '1.31.7', kubelet: {} }, { version: '1.31.7' }],
    ['what Gardener filled in', { version: '1.31.7', kubelet: {} }, { version: '1.31.7' }],
  ])('an object without fields goes with its field, as a new Shoot has none: %s', (what, before, after) => {
    const poolWith = (kubernetes: object) => pools(worker({ kubernetes }));
    const filled = { version: '1.31.7', kubelet: { failSwapOn: true } };
    const live = applied(poolWith(before), (spec) => (what.startsWith('what') ? poolWith(filled) : spec));
    const isOfOthers = () => false;
    const wanted = Object.keys(after).length === 0 ? pools(worker()) : poolWith(after);
    const planned = planUpdate(live, shootOf(wanted), { applied: recordOf(live), isOfOthers });
    expect(planned.shoot.spec).toEqual(wanted);
    expect(planned.differences).not.toEqual([]);
  });

  test('an object without fields that the rendering never had stays', () => {
    const live = applied(pools(worker()), () => pools(worker({ kubernetes: { kubelet: {} } })));
    expect(plan(live, pools(worker()))).toEqual({
      spec: pools(worker({ kubernetes: { kubelet: {} } })),
      paths: [],
    });
  });

  test('[I26] a pool, in any place; the others keep their order and new ones come last', () => {
    const names = (...all: string[]) => pools(...all.map((name) => worker({ name })));
    const live = applied(names('a', 'b', 'c'));
    expect(plan(live, names('d', 'c', 'a')).spec).toEqual(names('a', 'c', 'd'));
  });

  test('fields, entries and members of others', () => {
    const live = applied(pools(full), (spec) => ({
      ...spec,
      hibernation: { enabled: true },
      ...pools(
        worker({ ...full, labels: { a: '1', b: '2', theirs: 'x' }, priority: 3 }),
        worker({ name: 'theirs' }),
      ),
    }));
    expect(plan(live, pools(full)).paths).toEqual([]);
    expect(plan(live, pools(worker())).spec).toEqual({
      hibernation: { enabled: true },
      ...pools(worker({ labels: { theirs: 'x' }, priority: 3 }), worker({ name: 'theirs' })),
    });
  });

  test('a member of a document, or of an entry of a list, though Gardener fills in others', () => {
    const caches = (...more: object[]) => ({
      extensions: [{ type: 'registry-cache', providerConfig: { caches: more } }],
    });
    const live = applied(caches({ upstream: 'a', proxy: 'p' }), () =>
      caches({ upstream: 'a', proxy: 'p', size: '10Gi' }),
    );
    expect(plan(live, caches({ upstream: 'a', proxy: 'p' })).paths).toEqual([]);
    expect(plan(live, caches({ upstream: 'a' })).spec).toEqual(caches({ upstream: 'a' }));
  });

  test('a default of Gardener goes with the group of fields that it is in, a field of others there stays', () => {
    const kubelet = (fields: object) => pools(worker({ kubernetes: { kubelet: fields } }));
    const live = applied(kubelet({ maxPods: 100 }), () =>
      kubelet({ maxPods: 100, failSwapOn: true, theirs: 1 }),
    );
    const isOfOthers = (path: readonly string[]) => path.at(-1) === 'theirs';
    const planned = (wanted: object) =>
      planUpdate(live, shootOf(wanted), { applied: recordOf(live), isOfOthers }).shoot.spec;
    expect(planned(pools(worker()))).toEqual(kubelet({ theirs: 1 }));
    expect(planned(kubelet({ maxPods: 50 }))).toEqual(kubelet({ maxPods: 50, failSwapOn: true, theirs: 1 }));
  });

  test('names that every object has are names like others', () => {
    const odd = worker({ labels: { constructor: 'a', toString: 'b' } });
    expect(plan(applied(pools(odd)), pools(worker())).spec).toEqual(pools(worker()));
    expect(plan(applied(pools(worker())), pools(odd)).spec).toEqual(pools(odd));
  });
});

test('[I25] values that Gardener stores in another form are no difference, and stay as they are stored', () => {
  const sent = worker({ machineControllerManager: { machineDrainTimeout: '120m' } });
  const stored = worker({ machineControllerManager: { machineDrainTimeout: '2h0m0s' } });
  const live = applied(pools(sent), () => pools(stored));
  expect(plan(live, pools(sent))).toEqual({ spec: pools(stored), paths: [] });
});

describe('drift is a difference from a value that was applied already', () => {
  const live = applied({ purpose: 'development', region: 'a' }, (spec) => ({
    ...spec,
    purpose: 'evaluation',
  }));

  test('it is corrected, or left', () => {
    expect(plan(live, { purpose: 'development', region: 'a' })).toEqual({
      spec: { purpose: 'development', region: 'a' },
      paths: ['~spec.purpose'],
    });
    expect(plan(live, { purpose: 'development', region: 'b' }, true).spec).toEqual({
      purpose: 'evaluation',
      region: 'b',
    });
  });

  test('a changed value is none', () => {
    expect(plan(live, { purpose: 'production', region: 'a' }).paths).toEqual(['spec.purpose']);
  });

  test('a pool that others removed comes back as a whole, or not at all', () => {
    const removed = applied(pools(worker(), worker({ name: 'b' })), () => pools(worker()));
    const wanted = pools(worker({ maximum: 7 }), worker({ name: 'b' }));
    expect(plan(removed, wanted).spec).toEqual(wanted);
    expect(plan(removed, wanted, true).spec).toEqual(pools(worker({ maximum: 7 })));
  });
});

test('one way to authenticate users replaces the other', () => {
  const server = (kubeAPIServer: object) => ({ kubernetes: { version: '1.31.1', kubeAPIServer } });
  const live = shootOf(server({ oidcConfig: { clientID: 'c' }, logging: { verbosity: 2 } }));
  expect(plan(live, server({ structuredAuthentication: { configMapName: 'own' } })).spec).toEqual(
    server({ structuredAuthentication: { configMapName: 'own' }, logging: { verbosity: 2 } }),
  );
});

describe('the record', () => {
  test.each([
    ['of another generation', JSON.stringify({ generation: '2', spec: {} })],
    ['that is no JSON', '{'],
    ['of another form', JSON.stringify({ generation: '1', spec: [1] })],
    ['that is a text', '"text"'],
    ['that is null', 'null'],
  ])('%s counts as none', (_, text) => {
    expect(recordOf(shootOf({}, { annotations: { [annotationAppliedFields]: text } }))).toBeUndefined();
  });

  test('of another version of the Shoot replaces its own', () => {
    const [before, now] = [applied(pools(worker())), applied(pools(worker({ maximum: 7 })))];
    const { annotations } = before.metadata;
    expect(withRecordOf(now, before).metadata.annotations).toEqual(annotations);
    expect(annotations).not.toEqual(now.metadata.annotations);
  });

  test('a rendering that is too large leaves none', () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`label-${index}`, '']));
    const { shoot } = planUpdate(shootOf({}), shootOf(pools(worker({ labels }))), { applied: undefined });
    expect(recordOf(shoot)).toBeUndefined();
  });
});

describe('a Shoot without a record', () => {
  const annotation = { 'f:annotations': { [`f:${annotationRuntimeGeneration}`]: {} } };
  const entry = (manager: string, pool: object, more: object = {}) => ({
    ...{ manager, operation: 'Update', fieldsType: 'FieldsV1' },
    fieldsV1: {
      ...more,
      'f:spec': { 'f:provider': { 'f:workers': { 'k:{"name":"cpu-worker-0"}': pool } } },
    },
  });
  const managedFields = [
    entry(
      'manager',
      { '.': {}, 'f:name': {}, 'f:taints': {}, 'f:labels': { 'f:a': {} } },
      { 'f:metadata': annotation },
    ),
    entry('kubectl-edit', { 'f:labels': { 'f:theirs': {} }, 'f:priority': {} }),
    // What is written by way of the status does not count.
    { ...entry('gardenlet', { 'f:priority': {} }), subresource: 'status' },
  ];
  const pool = {
    labels: { a: '1', theirs: 'x' },
    priority: 3,
    taints: [{ key: 'gpu', effect: 'NoSchedule' }],
  };

  test('has no drift by what only the Shoot has', () => {
    const live = shootOf(pools(worker(pool)), { managedFields });
    expect(planUpdate(live, shootOf(pools(worker())), { applied: undefined }).differences).toEqual([]);
  });

  test('loses with the next change what the program had set that wrote it, and nothing of others', () => {
    const live = shootOf(pools(worker(pool)), { managedFields });
    const { shoot } = planUpdate(live, shootOf(pools(worker())), { applied: fieldsOfRenderers(live) });
    expect(shoot.spec).toEqual(pools(worker({ labels: { theirs: 'x' }, priority: 3 })));
    expect(otherOwnersOf(live, ['spec', 'provider', 'workers', 'cpu-worker-0', 'priority'])).toEqual([
      'kubectl-edit',
    ]);
    expect(otherOwnersOf(live, ['spec', 'provider', 'workers', 'cpu-worker-0', 'taints'])).toEqual([]);
  });
});

/** An edit reaches Service Manager, whatever happens between the edit and the end of the operation before it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { NoResponseError } from '../../../framework/http/index.ts';
import { lostResponse, refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { serviceInstances } from './resource.ts';

const h = forEachTest(startInstanceHarness);

const HOUR = 3_600_000;
const edit = (size: number) => h.patch({ spec: { parameters: { size } } });
function expectSent(size: number) {
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  expect(h.stored()?.status?.observedGeneration).toBe(h.stored()?.metadata.generation);
  expect([...h.sm.instances.values()]).toEqual([expect.objectContaining({ parameters: { size } })]);
}

const interruptions: readonly { reason: string; begin: () => void; end: () => void }[] = [
  { reason: 'nothing', begin: () => undefined, end: () => undefined },
  {
    reason: 'an error of the poll',
    begin: () => h.sm.fail('operation', [refusal(500, 'out of order')]),
    end: () => undefined,
  },
  { reason: 'a throttled poll', begin: () => h.sm.fail('operation', [throttled()]), end: () => undefined },
  {
    reason: 'missing credentials',
    begin: () => {
      h.credentialsError = new Error('cannot find credentials');
    },
    end: () => {
      h.credentialsError = undefined;
    },
  },
];

describe.each(interruptions)('an edit during an operation, followed by $reason', ({ begin, end }) => {
  test('is sent after a create', async () => {
    h.sm.async('create', { polls: 1 });
    await h.create({ parameters: { size: 1 } });
    begin();
    await edit(2);
    await h.wait(1500);
    end();
    await h.wait(10_000);
    expectSent(2);
  });

  test('is sent after an update', async () => {
    await h.create({ parameters: { size: 1 } });
    h.sm.async('update', { polls: 1 });
    await edit(2);
    begin();
    await edit(3);
    await h.wait(1500);
    end();
    await h.wait(10_000);
    expectSent(3);
  });
});

describe('an edit after a create whose response is lost is sent', () => {
  test.each<{ reason: string; spec?: { shared: true }; prepare: () => void; lookUp?: () => void }>([
    { reason: 'when the instance is found', prepare: () => undefined },
    {
      reason: 'when the instance is found, and was shared',
      spec: { shared: true },
      prepare: () => undefined,
      lookUp: () => {
        for (const instance of h.sm.instances.values()) instance.shared = true;
      },
    },
    { reason: 'when the create is still in progress', prepare: () => h.sm.async('create', { polls: 2 }) },
    {
      reason: 'when the next look-up fails',
      prepare: () => undefined,
      lookUp: () => h.sm.fail('find', [refusal(503, 'out of order')]),
    },
  ])('$reason', async ({ spec, prepare, lookUp }) => {
    prepare();
    h.sm.fail('create', [lostResponse()]);
    await h.create({ parameters: { size: 1 }, ...spec });
    lookUp?.();
    await edit(2);
    await h.wait(15_000);
    expectSent(2);
    expect(h.sm.count('create')).toBe(1);
  });
});

test('an edit of an adopted instance whose create failed is sent when it is ready after all', async () => {
  const instance = h.sm.add({ id: 'id-9', ready: false, lastOperation: { type: 'create', state: 'failed' } });
  await h.create({ parameters: { size: 1 } });
  await edit(2);
  await h.wait(60_000);
  expect(h.condition('Succeeded')).toMatch(/^False CreateFailed/);
  expect(h.sm.count('update')).toBe(0);
  instance.ready = true;
  await h.wait(11 * HOUR);
  expectSent(2);
});

test.each([
  { of: 'this provider', status: {} },
  { of: 'the Go operator', status: { acceptedSpec: null } },
])(
  'an update by $of whose operation is lost is sent again, also after missing credentials',
  async ({ status }) => {
    await h.create({ parameters: { size: 1 } });
    h.sm.async('update', { polls: 100 });
    await edit(2);
    await h.patchStatus(status);
    h.credentialsError = new Error('cannot find credentials');
    await h.wait(2000);
    expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
    h.credentialsError = undefined;
    h.sm.sync('update');
    h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
    for (const instance of h.sm.instances.values()) instance.lastOperation = undefined;
    await h.wait(10_000);
    expectSent(2);
  },
);

test('the hash of the spec is computed once for each generation', async () => {
  await h.create({ parameters: { size: 1 } });
  await h.wait();
  const stored = h.stored();
  if (stored === undefined) throw new Error('not created');
  // No API server does this: another spec with the same generation.
  h.client.seed(serviceInstances, { ...stored, spec: { ...stored.spec, parameters: { size: 2 } } });
  const conditions = stored.status?.conditions.map((each) => ({ ...each, observedGeneration: 0 }));
  await h.patchStatus({ conditions });
  expect([h.stored()?.metadata.generation, h.sm.count('update')]).toEqual([1, 0]);
  await edit(3);
  expectSent(3);
});

describe('an instance that is too large to be in memory', () => {
  const text = 'x'.repeat(100_000);
  const annotations = { 'example.com/note': 'y'.repeat(10_000) };
  const reads = () =>
    h.client.requests.filter(({ verb, type }) => verb === 'get' && type.plural === 'serviceinstances').length;
  beforeEach(async () => {
    await h.create({ parameters: { size: 1, text } });
    await h.patch({ metadata: { annotations } });
    await h.wait();
  });

  test('is created and updated as it is, and keeps what others wrote', async () => {
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    const parameters = { size: 2, text };
    expect([...h.sm.instances.values()]).toEqual([expect.objectContaining({ parameters })]);
    expect(h.stored()).toMatchObject({ metadata: { annotations }, spec: { parameters } });
  });

  test('is read when it is reconciled, and not at rest', async () => {
    const before = reads();
    await h.wait(HOUR);
    await h.compare();
    expect(reads()).toBe(before);
    await h.patch({ metadata: { annotations: { 'example.com/other': 'z' } } });
    expect(reads()).toBe(before + 1);
  });

  test('is looked at when an annotation of others changes, and found to be gone', async () => {
    h.sm.instances.clear();
    await h.patch({ metadata: { annotations: { 'example.com/note': 'n' } } });
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
  });

  test('is compared with Service Manager, and deleted', async () => {
    const [external] = h.sm.instances.values();
    h.sm.instances.clear();
    await h.compare();
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    if (external !== undefined) h.sm.instances.set(external.id, external);
    await h.delete();
    await h.wait();
    expect([h.stored(), h.sm.instances.size]).toEqual([undefined, 0]);
  });
});

describe('an edit that Service Manager refuses', () => {
  const refused = refusal(400, 'the service does not support updates');
  const sent = () => h.sm.calls.filter(({ call }) => call === 'update').map(({ argument }) => argument);
  const edits = [
    { what: 'parameters', edit: { parameters: { size: 2 } }, back: { parameters: null } },
    { what: 'the name', edit: { externalName: 'renamed' }, back: { externalName: 'orders' } },
    { what: 'the plan', edit: { servicePlanName: 'broker' }, back: { servicePlanName: 'application' } },
  ];
  beforeEach(async () => {
    await h.create({ userInfo: { username: 'first' } });
    await h.wait(1000);
  });

  test.each(edits.flatMap((each) => ['first', 'other'].map((username) => ({ ...each, username }))))(
    'of $what is taken back by the user $username without an update',
    async ({ edit, back, username }) => {
      h.sm.fail('update', [refused], 'forever');
      await h.patch({ spec: edit });
      await h.wait();
      expect(h.condition('Succeeded')).toBe('False UpdateFailed the service does not support updates');
      const before = sent().length;
      await h.patch({ spec: { ...back, userInfo: { username } } });
      await h.wait(60_000);
      expect(h.condition('Succeeded')).toBe('True Updated ServiceInstance updated successfully');
      expect(sent()).toHaveLength(before);
      expect(h.stored()?.status?.observedGeneration).toBe(h.stored()?.metadata.generation);
    },
  );

  test.each([
    { what: 'tags, which it does not get', edit: { customTags: ['shop'] } },
    { what: 'the default of the name', edit: { externalName: null } },
    { what: 'parameters without any', edit: { parameters: {} } },
    { what: 'the default of a flag', edit: { watchParametersFromChanges: false } },
    { what: 'a flag without Secrets', edit: { watchParametersFromChanges: true } },
  ])('is not sent if it changes nothing in Service Manager: $what', async ({ edit }) => {
    h.sm.fail('update', [refused], 'forever');
    await h.patch({ spec: edit });
    await h.wait();
    expect(sent()).toEqual([]);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.stored()?.status?.observedGeneration).toBe(2);
  });

  test('by an operation is taken back without an update', async () => {
    h.sm.async('update', { polls: 0, state: 'failed', errorDescription: 'not possible' });
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait(1500);
    expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed/);
    expect(h.stored()?.status).not.toHaveProperty('parametersVersion');
    const before = sent().length;
    await h.patch({ spec: { parameters: null, userInfo: { username: 'other' } } });
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(sent()).toHaveLength(before);
  });

  test('by an operation that the next process polls is taken back without an update', async () => {
    h.sm.async('update', { polls: 0, state: 'failed', errorDescription: 'not possible' });
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.stop();
    for (const size of [3, null]) await h.patch({ spec: { parameters: size && { size } } });
    await h.restart();
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(sent()).toHaveLength(1);
  });

  test.each([
    { what: 'an edit of tags', edits: [{ customTags: ['shop'] }], status: {} },
    {
      what: 'what is taken back of an instance of the Go operator',
      edits: [{ externalName: 'renamed' }, { externalName: 'orders' }],
      status: { acceptedSpec: null },
    },
  ])('while no process runs is not sent if it changes nothing: $what', async ({ edits, status }) => {
    await h.stop();
    await h.patchStatus(status);
    for (const spec of edits) await h.patch({ spec });
    await h.restart();
    await h.wait();
    expect(sent()).toEqual([]);
    expect(h.stored()?.status?.observedGeneration).toBe(h.stored()?.metadata.generation);
  });

  test('is taken back by an update, if the refused one had an effect', async () => {
    h.sm.fail('update', [refused]);
    await h.patch({ spec: { externalName: 'renamed' } });
    for (const instance of h.sm.instances.values()) Object.assign(instance, { name: 'renamed' });
    await h.patch({ spec: { externalName: 'orders' } });
    await h.wait(60_000);
    expect(sent().at(-1)).toMatchObject({ name: 'orders' });
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });

  test.each([
    { edit: { externalName: 'renamed' }, effect: { name: 'renamed' } },
    { edit: { servicePlanName: 'broker' }, effect: { servicePlanID: 'plan-2' } },
  ])('is no failure, if Service Manager has what the edit says: $effect', async ({ edit, effect }) => {
    h.sm.fail('update', [lostResponse(), refused], 'forever');
    await h.patch({ spec: edit });
    for (const instance of h.sm.instances.values()) Object.assign(instance, effect);
    await h.wait(600_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(sent()).toHaveLength(2);
    expect(h.stored()?.status?.observedGeneration).toBe(2);
  });

  test('is sent again after an error that says nothing about it, also if Service Manager has what it says', async () => {
    h.sm.fail('update', [lostResponse(), refusal(503, 'later')]);
    await h.patch({ spec: { externalName: 'renamed' } });
    for (const instance of h.sm.instances.values()) Object.assign(instance, { name: 'renamed' });
    await h.wait(600_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(sent()).toHaveLength(3);
  });

  test('of an instance of the Go operator is taken back without an update', async () => {
    h.sm.fail('update', [refused], 'forever');
    await h.stop();
    await h.patchStatus({ acceptedSpec: null });
    await h.restart();
    await h.patch({ spec: { externalName: 'renamed' } });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed/);
    const before = sent().length;
    await h.patch({ spec: { externalName: 'orders' } });
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(sent()).toHaveLength(before);
  });

  test('stays one with parameters, which Service Manager does not show', async () => {
    h.sm.fail('update', [refused], 'forever');
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait(600_000);
    expect(h.condition('Succeeded')).toBe('False UpdateFailed the service does not support updates');
  });

  test.each([
    { result: 'no result', error: lostResponse() },
    { result: 'another success than those of the contract', error: refusal(204, '') },
    {
      result: 'an error of a gateway, which says nothing about its effect',
      error: new ServiceManagerError('504', { ...refusal(504, 'timeout'), isEffectUnknown: true }),
    },
  ])('is taken back by an update, if the one before had $result', async ({ error }) => {
    for (const where of ['in the same process', 'by the next process']) {
      const before = sent().length;
      h.sm.fail('update', [error]);
      await h.patch({ spec: { parameters: { size: 2 } } });
      if (where === 'by the next process') await h.stop();
      await h.patch({ spec: { parameters: null } });
      if (where === 'by the next process') await h.restart();
      await h.wait(60_000);
      expect([where, sent().length - before]).toEqual([where, 2]);
    }
  });

  test.each([
    { result: 'was throttled', error: throttled() },
    {
      result: 'was not sent',
      error: new NoResponseError('no answer', { code: 'ECONNREFUSED', sent: false, aborted: false }),
    },
    { result: 'had credentials that are not valid', error: refusal(401, 'unauthorized', 'auth') },
    { result: 'had no token', error: new ProviderError('auth', 'the token endpoint answered 401') },
    { result: 'was answered by a redirect', error: refusal(300, 'elsewhere') },
  ])('is taken back without an update, if the one before $result', async ({ error }) => {
    h.sm.fail('update', [error]);
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.patch({ spec: { parameters: null } });
    await h.wait(60_000);
    expect(sent()).toHaveLength(1);
    expect(h.stored()?.status?.observedGeneration).toBe(h.stored()?.metadata.generation);
  });

  test('that has no watched parameters any more is taken back without an update', async () => {
    await h.putSecret('params', { size: 1 });
    const parametersFrom = [{ secretKeyRef: { name: 'params', key: 'parameters' } }];
    const watching = { parametersFrom, watchParametersFromChanges: true, externalName: 'orders' };
    await h.patch({ spec: watching });
    await h.wait();
    h.sm.fail('update', [refused], 'forever');
    const without = { parametersFrom: null, watchParametersFromChanges: null, externalName: 'renamed' };
    await h.patch({ spec: without });
    await h.wait(1500);
    expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed/);
    const before = sent().length;
    await h.patch({ spec: watching });
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(sent()).toHaveLength(before);
    h.sm.heal('update');
    await h.putSecret('params', { size: 2 });
    await h.wait(60_000);
    expect(sent().at(-1)).toMatchObject({ parameters: { size: 2 } });
  });

  test('of watched parameters is taken back without an update, also if an operation failed', async () => {
    await h.putSecret('params', { size: 1 });
    const parametersFrom = [{ secretKeyRef: { name: 'params', key: 'parameters' } }];
    await h.patch({ spec: { parametersFrom, watchParametersFromChanges: true } });
    await h.wait();
    for (const how of ['sync', 'async']) {
      const before = sent().length;
      if (how === 'sync') h.sm.fail('update', [refused], 'forever');
      else h.sm.async('update', { polls: 0, state: 'failed', errorDescription: 'not possible' });
      await h.putSecret('params', { size: 2 });
      await h.wait(1500);
      expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed/);
      const refusals = sent().length;
      expect(refusals).toBeGreaterThan(before);
      await h.putSecret('params', { size: 1 });
      await h.wait(60_000);
      expect(h.condition('Succeeded')).toMatch(/^True Updated/);
      expect(sent()).toHaveLength(refusals);
      h.sm.heal('update');
    }
  });
});

const failStatusWrites = () =>
  h.client.onRequest(({ verb, subresource }) => {
    if (subresource === 'status' && verb !== 'get') throw new Error('out of order');
  });

describe.each(['in the same process', 'by the next process'])(
  'an edit whose update was sent and not recorded is taken back by an update, %s',
  (where) => {
    test.each([
      { next: 'succeeds', prepare: () => undefined },
      { next: 'is throttled at first', prepare: () => h.sm.fail('update', [throttled()]) },
      { next: 'cannot select a plan at first', prepare: () => h.sm.fail('plan', [refusal(503, 'later')]) },
      {
        next: 'is throttled at first, and not recorded either',
        prepare: () => {
          h.sm.fail('update', [throttled()]);
          const heal = failStatusWrites();
          h.clock.after(500, heal);
        },
      },
      { next: 'cannot be observed at first', prepare: () => h.sm.fail('get', [refusal(503, 'later')]) },
      {
        next: 'has no credentials at first',
        prepare: () => {
          h.credentialsError = new Error('cannot find credentials');
          h.clock.after(500, () => {
            h.credentialsError = undefined;
          });
        },
      },
    ])('which $next', async ({ prepare }) => {
      const parameters = () => [...h.sm.instances.values()].map((instance) => instance.parameters);
      await h.create({ parameters: { size: 1 } });
      await h.wait(1000);
      const heal = failStatusWrites();
      await h.patch({ spec: { parameters: { size: 2 } } });
      expect(parameters()).toEqual([{ size: 2 }]);
      if (where === 'by the next process') await h.stop();
      heal();
      prepare();
      await h.patch({ spec: { parameters: { size: 1 } } });
      if (where === 'by the next process') await h.restart();
      await h.wait(60_000);
      expect(parameters()).toEqual([{ size: 1 }]);
      expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    });
  },
);

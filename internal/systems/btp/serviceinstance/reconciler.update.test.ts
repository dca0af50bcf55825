import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { type InstanceHarness, startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { specHash } from './spec-hash.ts';

const h = forEachTest(startInstanceHarness);

async function created(spec: Parameters<InstanceHarness['create']>[0] = {}) {
  await h.create(spec);
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
}
const rename = (externalName: string) => h.patch({ spec: { externalName } });

test('[B18] an edit is sent once', async () => {
  await created();
  await rename('renamed');
  await h.wait();
  expect(h.condition('Succeeded')).toBe('True Updated ServiceInstance updated successfully');
  expect(h.sm.instances.get('id-1')?.name).toBe('renamed');
  expect(h.sm.count('update')).toBe(1);
  expect(h.stored()?.status?.hashedSpec).toBe(
    specHash(h.stored()?.spec ?? { serviceOfferingName: '', servicePlanName: '' }),
  );
});

test('[B12.7] a settled instance causes no writes, also after a restart', async () => {
  await created();
  const before = h.client.requests.length;
  await h.restart();
  await h.wait(60_000);
  expect(
    h.client.requests.slice(before).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)),
  ).toEqual([]);
  expect([h.sm.count('update'), h.sm.count('create')]).toEqual([0, 1]);
});

describe('a failed update', () => {
  test.each([
    { reason: 'a refusal', error: () => refusal(400, 'no such plan'), text: 'no such plan' },
    {
      reason: 'an error of the broker',
      error: () => refusal(502, 'BrokerError:busy, Status: 429, Description: later', 'broker'),
      text: 'BrokerError:busy, Status: 429, Description: later',
    },
  ])(
    '[B22] [B23] [B24] [B12.6] shows the text, stays ready and is retried: $reason',
    async ({ error, text }) => {
      await created();
      h.sm.fail('update', [error(), error()]);
      await rename('renamed');
      expect(h.condition('Succeeded')).toBe(`False UpdateFailed ${text}`);
      expect(h.condition('Ready')).toBe('True Provisioned');
      await h.wait(5000);
      expect(h.condition('Succeeded')).toMatch(/^True Updated/);
      expect(h.sm.count('update')).toBe(3);
    },
  );

  test('is retried after a restart', async () => {
    await created();
    h.sm.fail('update', [refusal(400, 'no')], 'forever');
    await rename('renamed');
    await h.wait(30_000);
    h.sm.heal('update');
    await h.restart();
    await h.wait(100);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });

  test('[B12.6] that was throttled counts as in progress, and is retried', async () => {
    await created();
    h.sm.fail('update', [throttled()]);
    await rename('renamed');
    expect(h.condition('Succeeded')).toBe('False UpdateInProgress ServiceInstance is being updated');
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });
});

describe('an asynchronous update', () => {
  test('[B19] is polled, and stays ready', async () => {
    await created();
    h.sm.async('update', { polls: 1 });
    await rename('renamed');
    expect(h.condition('Succeeded')).toBe('False UpdateInProgress ServiceInstance is being updated');
    expect(h.stored()?.status).toMatchObject({ operationType: 'update', ready: 'True' });
    await h.wait(3000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.instances.get('id-1')?.name).toBe('renamed');
    expect([h.sm.count('operation'), h.sm.count('get')]).toEqual([2, 1]);
  });

  test('[B20] ends with the last spec, if it is edited meanwhile', async () => {
    await created();
    h.sm.async('update', { polls: 1 });
    await rename('first');
    await rename('second');
    await h.wait(8000);
    expect(h.sm.instances.get('id-1')?.name).toBe('second');
    expect(h.sm.count('update')).toBe(2);
    expect(h.stored()?.status?.observedGeneration).toBe(3);
  });

  test('[B25] that failed is sent again', async () => {
    await created();
    h.sm.async('update', { polls: 0, state: 'failed', errorDescription: 'no space' });
    await rename('renamed');
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False UpdateFailed ServiceInstance update failed: no space');
    expect(h.condition('Ready')).toMatch(/^True/);
    h.sm.sync('update');
    await h.wait(3000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });

  test('[B26] [B12.6] whose operation is lost is sent again', async () => {
    await created();
    h.sm.async('update', { polls: 5 });
    await rename('renamed');
    h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
    for (const instance of h.sm.instances.values()) instance.lastOperation = undefined;
    h.sm.sync('update');
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.instances.get('id-1')?.name).toBe('renamed');
  });

  test('is polled after a restart', async () => {
    await created();
    h.sm.async('update', { polls: 1 });
    await rename('renamed');
    await h.restart();
    await h.wait(3000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.count('update')).toBe(1);
  });
});

describe('the stored hash', () => {
  const md5 = '0123456789abcdef0123456789abcdef';

  test('[B29] of an old release is replaced without an update, also after an edit', async () => {
    await created();
    await h.stop();
    await h.patchStatus({ hashedSpec: md5 });
    await rename('renamed');
    await h.restart();
    await h.wait();
    expect(h.sm.count('update')).toBe(0);
    expect(h.stored()?.status?.hashedSpec).toHaveLength(64);
    expect(h.stored()?.status?.observedGeneration).toBe(2);
  });

  test('[B28] of an old release and a requested update cause one update', async () => {
    await created();
    await h.patchStatus({ hashedSpec: md5, forceReconcile: true });
    await h.wait();
    expect(h.sm.count('update')).toBe(1);
    expect(h.stored()?.status?.forceReconcile).toBeUndefined();
  });

  test.each([
    { reason: 'it is missing', missing: { hashedSpec: null } },
    { reason: 'all hashes are missing', missing: { hashedSpec: null, acceptedSpec: null } },
  ])('[B39] is restored if $reason, without an update', async ({ missing }) => {
    await created();
    const before = h.stored()?.status?.hashedSpec;
    await h.patchStatus(missing);
    await h.wait();
    expect(h.stored()?.status?.hashedSpec).toBe(before);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.count('update')).toBe(0);
  });
});

describe('an instance that Service Manager does not have', () => {
  test('[B68] [B12.6] is not found, and becomes ready when it is there again', async () => {
    await created();
    const [instance] = h.sm.instances.values();
    h.sm.instances.clear();
    await rename('renamed');
    expect(h.stored()?.status?.conditions).toHaveLength(1);
    expect(h.condition('Ready')).toBe(
      'False NotFound instance id-1 not found for this cluster or namespace; or it is not managed by this operator-access instance.',
    );
    if (instance) h.sm.instances.set(instance.id, instance);
    h.sm.calls.splice(0);
    await h.wait(30_000);
    expect(h.condition('Ready')).toMatch(/^True/);
    expect(h.sm.calls.map(({ call }) => call)).toEqual(['get', 'plan', 'update']);
    expect(h.sm.instances.get('id-1')?.name).toBe('renamed');
  });

  test('[B68] can be deleted', async () => {
    await created();
    h.sm.instances.clear();
    await rename('renamed');
    await h.delete();
    await h.wait();
    expect(h.stored()).toBeUndefined();
  });
});

test('missing credentials show in the condition, and leave the instance ready', async () => {
  await created();
  h.credentialsError = new Error('cannot find credentials');
  await rename('renamed');
  expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
  expect(h.condition('Ready')).toBe('True Provisioned');
  h.credentialsError = undefined;
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
});

test('missing credentials leave nothing in the condition when they are there again', async () => {
  await created();
  h.credentialsError = new Error('cannot find credentials');
  await h.patch({ metadata: { annotations: { touched: 'x' } } });
  expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
  h.credentialsError = undefined;
  await h.wait();
  expect(h.condition('Succeeded')).toBe('True Created ServiceInstance provisioned successfully');
  expect(h.sm.count('update')).toBe(0);
});

test('a throttled read is repeated when Service Manager allows, and shows in no condition', async () => {
  await created();
  h.sm.fail('get', [throttled(30_000)]);
  await rename('renamed');
  await h.wait(20_000);
  expect(h.sm.count('get')).toBe(1);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  await h.wait(11_000);
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
});

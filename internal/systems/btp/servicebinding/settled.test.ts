import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';
import { serviceBindings } from './resource.ts';
import { sampleBinding } from './secret/secret.fixture.ts';

const HOUR = 3_600_000;

const h = forEachTest(startHarnessWithInstance);

const createWithUID = async (uid: string) => {
  const binding = sampleBinding({ externalName: uid, secretName: uid });
  const { generation: _, ...metadata } = binding.metadata;
  await h.client.create(serviceBindings, { ...binding, metadata: { ...metadata, uid, name: uid } });
  await h.wait(10);
};

describe('after a start', () => {
  const uids = Array.from({ length: 8 }, (_, index) => `uid-${index}`);
  /** How many bindings Service Manager was asked for in each hour. */
  const readsPerHour = async (hours: number) => {
    const counts: number[] = [];
    for (let hour = 0; hour < hours; hour++) {
      const before = h.sm.count('getBinding');
      await h.wait(HOUR);
      counts.push(h.sm.count('getBinding') - before);
    }
    return counts;
  };

  test('the comparisons with Service Manager are spread over ten hours, each binding once', async () => {
    for (const uid of uids) await createWithUID(uid);
    await h.restart();
    const counts = await readsPerHour(10);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(uids.length);
    // The hours follow from random IDs: that all are in two of ten happens once in ten thousand runs.
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(2);
    const read = h.sm.calls.flatMap(({ call, argument }) => (call === 'getBinding' ? [argument] : []));
    expect(new Set(read).size).toBe(uids.length);
  });

  test('the comparison of a binding is not put off by its events', async () => {
    await createWithUID('uid-0');
    await h.restart();
    for (let hour = 0; hour < 10; hour++) {
      await h.patchStatus({ subaccountID: `${hour}` }, 'uid-0');
      await h.wait(HOUR);
    }
    expect(h.sm.count('getBinding')).toBe(1);
  });
});

test('a binding that was just created is compared after ten hours, whatever its uid', async () => {
  for (const uid of ['uid-0', 'uid-1', 'uid-2', 'uid-3']) await createWithUID(uid);
  await h.wait(10 * HOUR - 60_000);
  expect(h.sm.count('getBinding')).toBe(0);
  await h.wait(120_000);
  expect(h.sm.count('getBinding')).toBe(4);
});

test('a rotation that is due later than the next comparison is not made earlier', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true, rotationFrequency: '15h' } });
  await h.wait(15 * HOUR - 60_000);
  expect(h.sm.count('rename')).toBe(0);
  await h.wait(120_000);
  expect(h.sm.count('rename')).toBe(1);
});

test('a blocked binding whose rotation is overdue waits for its instance', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true, rotationFrequency: '1h' } });
  await h.putInstance({ status: { ready: 'False' } });
  await h.wait(2 * HOUR);
  const before = h.writes().length;
  await h.wait(2 * HOUR);
  expect(h.writes()).toHaveLength(before);
  expect(h.sm.count('rename')).toBe(0);
  await h.putInstance({ status: { ready: 'True' } });
  await h.wait();
  expect(h.sm.count('rename')).toBe(1);
});

describe('a binding of which Service Manager cannot be asked is not reconciled all the time', () => {
  test('[B70] without its instance', async () => {
    await h.createBlocked({ serviceInstanceName: 'none' });
    expect(h.condition('Succeeded')).toMatch(/^False Blocked/);
    await h.wait(30 * HOUR);
    expect(h.sm.calls).toEqual([]);
  });

  test('bound, while its instance cannot be used, and is compared as soon as it can', async () => {
    await h.create();
    await h.putInstance({ status: { ready: 'False' } });
    await h.wait(30 * HOUR);
    expect(h.sm.count('getBinding')).toBe(0);
    await h.putInstance({ status: { ready: 'True' } });
    await h.wait(1000);
    expect(h.sm.count('getBinding')).toBe(1);
  });

  test('while Service Manager does not have its instance', async () => {
    await h.create();
    const notFound = { type: 'Ready', status: 'False', reason: 'NotFound', lastTransitionTime: '' };
    await h.putInstance({ status: { ready: 'False', conditions: [notFound] } });
    await h.wait(30 * HOUR);
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    expect(h.sm.count('getBinding')).toBe(0);
  });
});

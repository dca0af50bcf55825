/** Operations of a resource that was made with other credentials than those that come first now, for both kinds. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import {
  createFakeServiceManager,
  type FakeServiceManager,
} from '../fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import { lostResponse, refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { testedKinds } from '../fixtures/tested-kinds.fixture.ts';
import { startBindingHarness } from '../servicebinding/fixtures/binding-harness.fixture.ts';
import { startInstanceHarness } from '../serviceinstance/fixtures/instance-harness.fixture.ts';

let other: FakeServiceManager;
beforeEach(() => {
  other = createFakeServiceManager('viewer-of-other');
});

describe.each(testedKinds)('a $kind whose namespace is mapped to another subaccount', ({ calls, start }) => {
  test.each(['once more', 'deleted'])('while its create has no result, is found: it is %s', async (then) => {
    const { h, external } = await start();
    h.sm.fail(calls.create, [lostResponse()]);
    await h.create();
    h.managers = [other, h.sm];
    if (then === 'deleted') await h.delete();
    await h.wait(20_000);
    expect([h.sm.count(calls.create), other.count(calls.create)]).toEqual([1, 0]);
    expect(external.size).toBe(then === 'deleted' ? 0 : 1);
    await h.stop();
  });
});

// The harness fails for a client that is not closed.
test('an instance is found later, if the credentials cannot be compared at once', async () => {
  const h = await startInstanceHarness();
  h.sm.fail('create', [lostResponse()]);
  await h.create();
  h.managers = [other, h.sm];
  other.fail('find', [refusal(503, 'out of order'), refusal(503, 'out of order')]);
  await h.wait(20_000);
  expect(other.count('find')).toBeGreaterThan(1);
  expect([h.sm.count('create'), h.sm.instances.size]).toEqual([1, 1]);
  await h.stop();
});

test('an update is sent with the credentials that made the instance', async () => {
  const h = await startInstanceHarness();
  await h.create();
  h.managers = [other, h.sm];
  await h.patch({ spec: { parameters: { size: 2 } } });
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  expect([h.sm.count('update'), other.count('update')]).toEqual([1, 0]);
  await h.stop();
});

describe('a new binding', () => {
  const h = forEachTest(startBindingHarness);
  beforeEach(async () => {
    await h.putInstance({ status: { viewer: 'viewer', subaccountID: 'subaccount-1' } });
  });

  test('is created with the credentials that made its instance', async () => {
    h.managers = [other, h.sm];
    await h.create();
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(other.calls).toEqual([]);
  });
});

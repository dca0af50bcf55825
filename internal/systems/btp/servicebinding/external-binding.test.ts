/** With whose credentials a binding is looked up in Service Manager. */
import { expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { createFakeServiceManager } from '../fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import { finalizer } from '../metadata.ts';
import { startBindingHarness } from './fixtures/binding-harness.fixture.ts';

const h = forEachTest(startBindingHarness);

test.each([
  { recorded: 'in its status', binding: { subaccountID: null }, instance: { viewer: 'viewer-of-other' } },
  { recorded: 'of its instance only', binding: { viewer: null, subaccountID: null }, instance: {} },
])('a binding is read with the credentials that are recorded $recorded', async ({ binding, instance }) => {
  await h.putInstance({ status: { viewer: 'viewer', subaccountID: 'subaccount-1' } });
  await h.create();
  await h.stop();
  await h.patchStatus(binding);
  await h.putInstance({ status: instance });
  const other = createFakeServiceManager('viewer-of-other');
  h.managers = [other, h.sm];
  await h.restart();
  await h.patch({ spec: { secretKey: 'all' } });
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  expect([h.sm.count('getBinding'), other.calls]).toEqual([1, []]);
});

test('a binding is deleted before its instance has a status', async () => {
  await h.putInstance({ status: null });
  await h.createBlocked();
  await h.patch({ metadata: { finalizers: [finalizer] } });
  await h.delete();
  await h.wait(60_000);
  expect(h.stored()).toBeUndefined();
});

import { expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import { startBindingHarness } from './fixtures/binding-harness.fixture.ts';

const h = forEachTest(startBindingHarness);

test('a binding is requested by its instance only, of the same namespace and name', async () => {
  await h.createBlocked();
  expect(h.condition('Succeeded')).toMatch(/^False Blocked/);
  await h.putInstance({}, 'office');
  expect(h.condition('Succeeded')).toMatch(/^False Blocked/);
  await h.putInstance();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

test('a binding is requested by an instance that gets its first status', async () => {
  await h.putInstance({ status: null });
  await h.createBlocked();
  await h.putInstance({ metadata: { annotations: { touched: 'x' } } });
  expect(h.condition('Succeeded')).toBe('False Blocked service instance is not ready');
  await h.putInstance({ status: { ready: 'True', instanceID: 'id-1', conditions: [] } });
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

test('all bindings of an instance are requested by it', async () => {
  for (const name of ['a', 'b']) await h.create({ secretName: name }, name);
  await h.putInstance();
  for (const name of ['a', 'b']) expect(h.condition('Succeeded', name)).toMatch(/^True Created/);
});

test('a bound binding says that its instance is gone, and that it is deleted after a moment', async () => {
  await h.putInstance({ metadata: { finalizers: ['x/y'] } });
  await h.create();
  await h.client.delete(serviceInstances, { namespace: 'shop', name: 'orders' });
  await h.wait(4900);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  await h.wait(200);
  expect(h.condition('Succeeded')).toBe('False Blocked instance is in deletion process');
  await h.client.mergePatch(
    serviceInstances,
    { namespace: 'shop', name: 'orders' },
    { metadata: { finalizers: null } },
  );
  await h.wait(10);
  expect(h.condition('Succeeded')).toMatch(/^False Blocked couldn't find the service instance/);
  expect(h.condition('Ready')).toMatch(/^True/);
});

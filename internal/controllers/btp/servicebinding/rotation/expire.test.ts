import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { originalBindingAnnotation, staleLabel } from '../../metadata.ts';
import { type BindingHarness, startBindingHarness } from '../fixtures/binding-harness.fixture.ts';
import { serviceBindings } from '../resource.ts';
import { sampleBinding } from '../secret/secret.fixture.ts';

let h: BindingHarness;
beforeEach(async () => {
  h = await startBindingHarness();
  await h.putInstance();
  h.sm.addBinding({ id: 'b-9', name: 'replaced', credentials: '{"a":"b"}' });
  const replaced = sampleBinding({
    externalName: 'replaced',
    credentialsRotationPolicy: { enabled: false, rotatedBindingTTL: '1h' },
  });
  const labels = { [staleLabel]: 'b-9' };
  const annotations = { [originalBindingAnnotation]: 'origin' };
  await h.apply({ ...replaced, metadata: { ...replaced.metadata, labels, annotations } });
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});
afterEach(() => h.stop());

const expectGone = () => {
  expect(h.stored()).toBeUndefined();
  expect(h.sm.bindings.size).toBe(0);
};

test('a replaced binding whose origin is gone is deleted after its time to live', async () => {
  await h.wait(3_500_000);
  expect(h.stored()).toBeDefined();
  await h.wait(200_000);
  expectGone();
});

test('a replaced binding stays while its origin cannot be read', async () => {
  let fails = true;
  h.client.onRequest(({ verb, type, key }) => {
    if (fails && verb === 'get' && type === serviceBindings && key?.name === 'origin')
      throw new Error('out of order');
  });
  await h.wait(4_000_000);
  expect(h.stored()).toBeDefined();
  expect(h.sm.bindings.size).toBe(1);
  fails = false;
  await h.wait(100_000);
  expectGone();
});

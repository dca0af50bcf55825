import { afterEach, expect, test } from '@jest/globals';
import { forceRotateAnnotation, rotationOfLabel, staleLabel } from '../metadata.ts';
import { type BindingHarness, startBindingHarness } from './fixtures/binding-harness.fixture.ts';
import { serviceBindings } from './resource.ts';
import { sampleBinding } from './secret/secret.fixture.ts';

let h: BindingHarness;
afterEach(() => h.stop());

test.each([
  { selector: 'shard=a', labels: { shard: 'a', team: 'shop' }, shared: { shard: 'a' } },
  { selector: 'shard notin (b, c)', labels: { team: 'shop' }, shared: {} },
])(
  'a replaced binding stays in the shard $selector of its origin: it has a Secret, and is deleted after its time to live',
  async ({ selector, labels, shared }) => {
    h = await startBindingHarness({ labelSelector: selector });
    await h.putInstance();
    const credentialsRotationPolicy = { enabled: true, rotationFrequency: '100h', rotatedBindingTTL: '1h' };
    const binding = sampleBinding({ externalName: 'orders-db', credentialsRotationPolicy });
    await h.apply({ ...binding, metadata: { ...binding.metadata, name: 'orders-db', labels } });
    expect(h.stored()?.metadata.annotations).toEqual({ 'kyma.orchestrate.cloud.sap/shard-owner': selector });
    await h.patch({ metadata: { annotations: { [forceRotateAnnotation]: '' } } });
    await h.wait();
    const replaced = h.client
      .peekAll(serviceBindings)
      .filter(({ metadata }) => metadata.labels?.[staleLabel]);
    expect(replaced.map(({ metadata }) => metadata.labels)).toEqual([
      { [staleLabel]: 'b-1', [rotationOfLabel]: 'orders-db', ...shared },
    ]);
    const [{ metadata, spec } = binding] = replaced;
    expect(h.secret(spec.secretName)).toBeDefined();
    await h.wait(2 * 3_600_000);
    expect(h.stored(metadata.name)).toBeUndefined();
    expect([...h.sm.bindings.keys()]).toEqual(['b-2']);
  },
);

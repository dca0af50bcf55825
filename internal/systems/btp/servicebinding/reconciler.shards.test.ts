import { afterEach, expect, test } from '@jest/globals';
import {
  deletionPolicyAnnotation,
  finalizer,
  forceRotateAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../metadata.ts';
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

test.each(['a binding that is left to its users', 'a binding without anything in Service Manager'])(
  'the finalizer of %s stays for as long as the shard that had it may still write',
  async (what) => {
    h = await startBindingHarness({ labelSelector: 'shard=a' });
    const isOrphan = what.includes('users');
    if (isOrphan) await h.putInstance();
    const binding = sampleBinding({ externalName: 'orders-db' });
    const annotations = {
      'kyma.orchestrate.cloud.sap/shard-owner': 'shard=b',
      ...(isOrphan ? { [deletionPolicyAnnotation]: 'Orphan' } : {}),
    };
    const marks = { name: 'orders-db', labels: { shard: 'a' }, annotations, finalizers: [finalizer] };
    // Of before the process of this shard had it.
    h.client.seed(serviceBindings, { ...binding, metadata: { ...binding.metadata, ...marks } });
    await h.delete();
    await h.wait(30_000);
    expect(h.stored()?.metadata.finalizers).toEqual([finalizer]);
    await h.wait(300_000);
    expect(h.stored()).toBeUndefined();
  },
);

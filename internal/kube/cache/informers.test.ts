import { expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/logger.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps, secrets } from '../object/resource-type.ts';
import { createInformers } from './informers.ts';

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  return { client, informers: createInformers({ client, clock, log: nopLogger }) };
}

test('everybody who asks for the same gets the same informer', () => {
  const { informers } = setup();
  const selection = () => ({ labelSelector: 'shard=a' });
  expect(informers.of(configMaps)).toBe(informers.of(configMaps));
  expect(informers.of(configMaps, { selection: selection() })).toBe(
    informers.of(configMaps, { selection: selection() }),
  );
  expect(informers.metadataOf(secrets)).toBe(informers.metadataOf(secrets));
});

test.each([
  { another: 'type', options: [secrets, {}] as const },
  { another: 'version', options: [{ ...configMaps, version: 'v2' }, {}] as const },
  { another: 'selector', options: [configMaps, { selection: { labelSelector: 'shard=a' } }] as const },
  { another: 'namespace', options: [configMaps, { selection: { namespace: 'shop' } }] as const },
  { another: 'transform', options: [configMaps, { transform: (object: ConfigMap) => object }] as const },
])('another $another is another informer', ({ options: [type, options] }) => {
  const { informers } = setup();
  expect(informers.of(type, options)).not.toBe(informers.of(configMaps));
});

test('metadata alone is asked for where only metadata is wanted', async () => {
  const { client, informers } = setup();
  const informer = informers.metadataOf(secrets);
  expect(informer).not.toBe(informers.of(secrets));
  client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 's' },
    data: { password: 'c2VjcmV0' },
  } as never);
  const stop = informer.start();
  await informer.whenSynced();
  expect(Object.keys(informer.list()[0] ?? {})).not.toContain('data');
  stop();
});

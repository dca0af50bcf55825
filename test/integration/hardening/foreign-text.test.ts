/** Texts of tenants and of remote clusters that are made to keep the provider busy. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FaultyWorld, startFaultyWorld } from '../faults/faulty-world.ts';
import type { ProviderProcess } from '../harness/provider-process.ts';
import type { SourceName } from '../harness/scenario.ts';
import { expectBystanderServed } from './bystander.ts';

let world: FaultyWorld;
let provider: ProviderProcess;
beforeAll(async () => {
  world = await startFaultyWorld();
  provider = await world.run();
});
afterAll(() => world.stop());

/** Each once took seconds to minutes of a quadratic pattern. The API server takes no object above 1.5 MiB. */
const hostileTexts = [' '.repeat(400_000), `${'eyJabcdefgh-'.repeat(30_000)}.`, ' \n'.repeat(200_000)];
const SYNCED_MS = 20_000;

const notReady = (message: string) => ({
  conditions: [
    { type: 'Ready', status: 'False', reason: 'Failed', message, lastTransitionTime: '2024-01-01T00:00:00Z' },
  ],
});

test.each(['instance', 'binding'] as const)(
  'conditions of a remote %s delay nobody, and are quoted in part',
  async (source: SourceName) => {
    const attacks = [];
    for (const text of hostileTexts) {
      const attack = await world.scenario();
      await attack.applySources(['instance', 'config']);
      await attack.apply(source, { status: notReady(`x${text}x`) });
      await attack.create();
      attacks.push(attack);
    }
    await expectBystanderServed(world, provider);
    for (const attack of attacks) {
      const { message = '' } = await attack.untilReason('Synced', 'Waiting', SYNCED_MS);
      expect(message.length).toBeLessThanOrEqual(1024);
    }
  },
  120_000,
);

test('an external name and its refusal delay nobody', async () => {
  const attacks = [];
  // All annotations of an object may take 256 KiB.
  for (const text of hostileTexts) {
    const attack = await world.scenario({ scope: 'namespaced' });
    await attack.applySources();
    await attack.create({ annotations: { 'crossplane.io/external-name': text.slice(0, 250_000) } });
    attacks.push(attack);
  }
  await expectBystanderServed(world, provider, { scope: 'namespaced' });
  for (const attack of attacks) await attack.untilReason('Synced', 'ReconcileError', SYNCED_MS);
}, 120_000);

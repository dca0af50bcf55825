/** Texts of tenants and of remote clusters that could keep the provider busy. */
import { beforeAll, expect, test } from '@jest/globals';
import { startFaultEnvironment } from '../faults/fault-environment.ts';
import { forFile } from '../harness/for-file.ts';
import type { SourceName } from '../harness/mappings/scenario.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { expectBystanderServed } from './bystander.ts';

const environment = forFile(startFaultEnvironment);
let provider: ProviderProcess;
beforeAll(async () => {
  provider = await environment.run();
});

/** Each once took seconds to minutes of a quadratic pattern. The API server takes no object above 1.5 MiB. */
const hostileTexts = [' '.repeat(400_000), `${'eyJabcdefgh-'.repeat(30_000)}.`, ' \n'.repeat(200_000)];
const SYNCED_MS = 60_000;
/** Of conditions and events, in characters. */
const MAX_MESSAGE = 1024;

const notReady = (message: string) => ({
  conditions: [
    { type: 'Ready', status: 'False', reason: 'Failed', message, lastTransitionTime: '2024-01-01T00:00:00Z' },
  ],
});

test.each(['instance', 'binding'] as const)(
  'conditions of a remote %s delay no other mapping, and are quoted in part',
  async (source: SourceName) => {
    const attacks = [];
    for (const text of hostileTexts) {
      const attack = await environment.scenario();
      await attack.applySources(['instance', 'config']);
      await attack.apply(source, { status: notReady(`x${text}x`) });
      await attack.create();
      attacks.push(attack);
    }
    await expectBystanderServed(environment, provider);
    for (const attack of attacks) {
      const { message = '' } = await attack.untilReason('Synced', 'Waiting', SYNCED_MS);
      expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE);
    }
  },
  120_000,
);

test('an external name and its refusal delay no other mapping', async () => {
  const attacks = [];
  // All annotations of an object may take 256 KiB.
  for (const text of hostileTexts) {
    const attack = await environment.scenario({ scope: 'namespaced' });
    await attack.applySources();
    await attack.create({ annotations: { 'crossplane.io/external-name': text.slice(0, 250_000) } });
    attacks.push(attack);
  }
  await expectBystanderServed(environment, provider, { scope: 'namespaced' });
  for (const attack of attacks) {
    const { message = '' } = await attack.untilReason('Synced', 'ReconcileError', SYNCED_MS);
    expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE);
    const reported = await attack.events();
    for (const event of reported) expect(event.message.length).toBeLessThanOrEqual(MAX_MESSAGE);
  }
}, 120_000);

test('IDs and names of a remote cluster that are longer than any are refused, in a short condition', async () => {
  const long = 'i'.repeat(400_000);
  const [instance, binding, config] = [
    await environment.scenario(),
    await environment.scenario(),
    await environment.scenario(),
  ];
  for (const attack of [instance, binding, config]) await attack.applySources();
  await instance.apply('instance', { status: { ...notReady('x'), instanceID: long } });
  await binding.apply('binding', { spec: { secretName: long } });
  await config.apply('config', { data: { CLUSTER_ID: long } });
  for (const attack of [instance, binding, config]) await attack.create();
  await expectBystanderServed(environment, provider);
  for (const attack of [instance, binding, config]) {
    const { message = '' } = await attack.untilReason('Synced', 'ReconcileError', SYNCED_MS);
    expect(message).toContain('of more than 253 characters');
    expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE);
  }
}, 120_000);

test('the API server refuses a field that is longer than the schema allows', async () => {
  const mapping = environment.instanceMapping();
  const key = ' '.repeat(500_000);
  const ref = { name: mapping.name, namespace: 'default', key };
  await expect(mapping.create({ forProvider: { adminCredentialsSecretRef: ref } })).rejects.toThrow(
    /adminCredentialsSecretRef\.key.*253/s,
  );
});

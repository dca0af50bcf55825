/**
 * What an attack must not do to others. A test in this folder starts a provider, begins its attack, and calls
 * `expectBystanderServed` while the attack goes on.
 */
import { expect } from '@jest/globals';
import type { FaultEnvironment } from '../faults/fault-environment.ts';
import type { Scenario, ScenarioOptions } from '../harness/mappings/scenario.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';

/**
 * Creates a healthy mapping that shares nothing with the attack and holds that it becomes Ready, and that the provider
 * reports itself as healthy.
 *
 * @returns the scenario of the healthy mapping
 */
export async function expectBystanderServed(
  environment: FaultEnvironment,
  provider: ProviderProcess,
  options: ScenarioOptions = {},
): Promise<Scenario> {
  const bystander = await environment.scenario(options);
  await bystander.createReady();
  expect(bystander.mappings()).toHaveLength(1);
  expect((await provider.get('/healthz')).status).toBe(200);
  return bystander;
}

/** Several times what the provider takes without an attack. */
const MAX_RSS_MIB = 512;

/** For attacks that would fill the memory: holds that it is bounded. */
export async function expectMemoryBounded(provider: ProviderProcess): Promise<void> {
  const { body } = await provider.get('/metrics');
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(body)?.[1];
  expect(bytes).toBeDefined();
  expect(Number(bytes) / 2 ** 20).toBeLessThan(MAX_RSS_MIB);
}

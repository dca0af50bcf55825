/**
 * What an attack must not do to others. A test in this folder starts a provider, begins its attack, and calls
 * `expectBystanderServed` while the attack goes on.
 */
import { expect } from '@jest/globals';
import type { FaultEnvironment } from '../faults/fault-environment.ts';
import type { Scenario, ScenarioOptions } from '../harness/mappings/scenario.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';

/** Milliseconds from the creation of a healthy mapping until it is Ready. Usual: below 500. */
const READY_MS = 5000;
const MAX_RSS_MIB = 300;

/**
 * Creates a healthy mapping that shares nothing with the attack and holds that it becomes Ready in time, that the
 * provider reports itself as healthy, and that its memory is bounded.
 *
 * @returns the scenario of the healthy mapping
 */
export async function expectBystanderServed(
  environment: FaultEnvironment,
  provider: ProviderProcess,
  options: ScenarioOptions = {},
): Promise<Scenario> {
  const bystander = await environment.scenario(options);
  await bystander.applySources();
  await bystander.create();
  await bystander.untilReady(READY_MS);
  expect(bystander.mappings()).toHaveLength(1);
  expect((await provider.get('/healthz')).status).toBe(200);
  expect(await residentMiB(provider)).toBeLessThan(MAX_RSS_MIB);
  return bystander;
}

/** Resident memory of the provider, in MiB, as its own metrics report it. */
export async function residentMiB(provider: ProviderProcess): Promise<number> {
  const { body } = await provider.get('/metrics');
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(body)?.[1];
  expect(bytes).toBeDefined();
  return Number(bytes) / 2 ** 20;
}

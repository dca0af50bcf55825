import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { parse } from 'yaml';
import type { Measured } from './tenant-environment.ts';

const chart = (system: string) =>
  parse(readFileSync(new URL(`../../../../package/${system}/chart/values.yaml`, import.meta.url), 'utf8'));
const bytesOf = (quantity: string) =>
  Number.parseInt(quantity, 10) * 2 ** (quantity.endsWith('Gi') ? 30 : 20);

/** Memory limits of the charts, in bytes. The package of the provider has none: it has that of the service operator. */
export const limitOf = {
  provider: bytesOf(chart('btp').manager.memory_limit),
  serviceOperator: bytesOf(chart('btp').manager.memory_limit),
  infrastructureManager: bytesOf(chart('infrastructure-manager').resources.limits.memory),
  mothership: bytesOf(chart('reconciler').mothership.resources.limits.memory),
};

export async function alive({ process }: Pick<Measured, 'process'>): Promise<void> {
  expect((await process.get('/healthz')).status).toBe(200);
  const { body } = await process.get('/metrics');
  // Names of others are no labels.
  expect(body.length).toBeLessThan(400_000);
}

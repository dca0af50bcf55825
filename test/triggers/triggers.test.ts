/**
 * The guard `triggers`: each change of what a kind watches is acted on without a poll. The reconciles of the kinds do nothing, and no
 * poll follows them: what is reconciled after a change has a trigger.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../environment/eventually.ts';
import { btpTriggers } from './btp.ts';
import { infrastructureManagerTriggers } from './infrastructure-manager.ts';
import { inventoryTriggers, reconcilerTriggers } from './managed.ts';
import type { TriggerWorld } from './observe-triggers.ts';
import { WAITING } from './waiting.ts';

const ROOT = join(import.meta.dirname, '../..');
const hasSources = (code: string) => /^ +sources: \(/m.test(code);

/** Objects that one change concerns are reconciled one after the other. */
const WITHIN_MS = 2000;

const WORLDS: readonly (readonly [string, () => Promise<TriggerWorld>])[] = [
  ['btp', btpTriggers],
  ['infrastructure-manager', infrastructureManagerTriggers],
  ['inventory', inventoryTriggers],
  ['reconciler', reconcilerTriggers],
];

describe.each(WORLDS)('triggers of %s', (_, start) => {
  test('each source of each kind', async () => {
    const { triggers, rows, wait, stop } = await start();
    try {
      const missing: string[] = [];
      for (const [controller, [own, ...others]] of Object.entries(rows))
        for (const [index, row] of [[-1, own] as const, ...others.entries()]) {
          if (typeof row === 'string') continue;
          await wait(WITHIN_MS);
          triggers.reset();
          await row.change();
          await wait(WITHIN_MS);
          const { isReconciled, sources } = triggers.of(controller, row.reconciles);
          if (!isReconciled) missing.push(`${controller}: ${row.what}: ${row.reconciles} is not reconciled`);
          else if (index >= 0 && !sources.includes(index))
            missing.push(`${controller}: ${row.what}: source ${index} does not request ${row.reconciles}`);
        }
      const rowsOf = Object.entries(rows).map(([controller, each]) => [controller, each.length - 1]);
      // A source without a row, or a row without a source.
      const sources = Object.fromEntries(triggers.counts());
      expect({ missing, sources }).toEqual({ missing: [], sources: Object.fromEntries(rowsOf) });
    } finally {
      await stop();
    }
  });
});

/** A kind that is not in a world above would have no rows. */
test('all files with sources are those of the kinds above', async () => {
  const found: string[] = [];
  for await (const file of glob('internal/systems/**/*.ts', { cwd: ROOT }))
    if (!/\.(test|fixture)\.ts$/.test(file) && hasSources(readFileSync(join(ROOT, file), 'utf8')))
      found.push(file.slice('internal/systems/'.length));
  expect(found.sort()).toEqual([
    // Counts objects for metrics, and adds no request.
    'btp/btp.ts',
    'btp/servicebinding/kind.ts',
    'btp/serviceinstance/kind.ts',
    'btp/watched-secrets/watched-secret-kind.ts',
    'infrastructure-manager/gardenercluster/kind.ts',
    'infrastructure-manager/registrycache/kind.ts',
    'infrastructure-manager/runtime/bootstrapper/bootstrapper.ts',
    'infrastructure-manager/runtime/kind.ts',
    'inventory/instancemapping/instance-mapping.ts',
    'inventory/kymainstancemapping/kyma-instance-mapping.ts',
  ]);
});

/** Backoff has grown by then, so that no retry is near. */
const WAITED_MS = 600_000;

test.each(WAITING)('a %s has what it needs: the watch says so', async (_, start) => {
  const { isSettled, provide, wait, stop } = await start();
  try {
    await wait(WAITED_MS);
    expect(isSettled()).toBe(false);
    await provide();
    await wait(WITHIN_MS);
    // The clock stands still: only files and modules that are loaded meanwhile take time.
    await eventually(() => expect(isSettled()).toBe(true), { timeoutMs: 10_000 });
  } finally {
    await stop();
  }
});

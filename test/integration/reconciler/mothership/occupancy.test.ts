import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createOccupancy } from '../../../../internal/systems/reconciler/mothership/occupancy.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

const pool = (poolId: string, runningWorkers: number, poolSize = 10, component = 'base') => ({
  poolId,
  component,
  runningWorkers,
  poolSize,
});

test('[R83] pools are created, updated and removed; the ratio is that of all pools of a component', async () => {
  const database = await databases.open();
  const occupancy = createOccupancy(database);
  expect(await occupancy.report(pool('a', 10))).toBe('created');
  expect(await occupancy.report(pool('b', 5))).toBe('created');
  expect(await occupancy.report(pool('b', 0))).toBe('updated');
  await occupancy.report(pool('c', 1, 4, 'istio'));
  await occupancy.report(pool('d', 0, 0, 'empty'));
  expect(await occupancy.ratios()).toEqual(
    new Map([
      ['base', 50],
      ['istio', 25],
      ['empty', 0],
    ]),
  );
  await occupancy.remove('c');
  await occupancy.remove('unknown');
  expect(await occupancy.poolIds()).toEqual(['a', 'b', 'd']);
  expect(await occupancy.removeSilent(60_000)).toBe(0);
  await sql`update worker_pool_occupancy set updated = now() - interval '61 s' where worker_pool_id <> 'b'`.execute(
    database.queries,
  );
  expect(await occupancy.report(pool('a', 9))).toBe('updated');
  expect(await occupancy.removeSilent(60_000)).toBe(1);
  expect(await occupancy.poolIds()).toEqual(['a', 'b']);
});

test.each([
  { what: 'another component', report: pool('a', 1, 10, 'istio'), refusal: 'mismatch' },
  { what: 'another size', report: pool('a', 1, 11), refusal: 'mismatch' },
  { what: 'more workers than there are', report: pool('a', 11), refusal: 'invalid' },
  { what: 'a negative number', report: pool('a', -1), refusal: 'invalid' },
  { what: 'a fraction', report: pool('a', 0.5), refusal: 'invalid' },
  { what: 'a number that is too large', report: pool('x', 1, 2 ** 31), refusal: 'invalid' },
  { what: 'no component', report: pool('x', 1, 2, ''), refusal: 'invalid' },
  { what: 'a text that cannot be stored', report: pool('x\0', 1), refusal: 'invalid' },
])('[R83] $what is refused', async ({ report, refusal }) => {
  const occupancy = createOccupancy(await databases.open());
  await occupancy.report(pool('a', 1));
  await expect(occupancy.report(report)).rejects.toMatchObject({ refusal });
  expect(await occupancy.ratios()).toEqual(new Map([['base', 10]]));
});

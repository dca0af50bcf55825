/**
 * Each call to Service Manager, with each fault, before and after its effect, while a ServiceInstance and a ServiceBinding
 * are created, updated and deleted: they converge, and there is never a second instance or binding. `make test` runs a part
 * of the table, `make test-faults` all of it; there, calls without a response take their two minutes.
 */
import { expect, test } from '@jest/globals';
import { campaign } from '../../campaign/campaign.ts';
import { runBtpEnvironment } from '../btp/btp-environment.ts';
import { forEach } from '../harness/for-each.ts';
import { forFile } from '../harness/for-file.ts';
import { callFaults, TIMINGS } from './call-faults.ts';
import { holds, type ServiceCell, serviceRoutes } from './service-lifecycle.ts';

const { long } = campaign({ seed: 0, runs: 1 });
/** In `make test`, each n-th of the quick cells; no divisor of the number of faults, so that all routes are met. */
const PART = long ? 1 : 13;
/** A call waits for two minutes, and some are repeated. */
const TIMEOUT_MS = long ? 900_000 : 90_000;
/** Slow cells at a time: calls without a response take slots of the host, which has 24, for minutes. */
const SLOW_AT_A_TIME = 8;

const cells: readonly ServiceCell[] = serviceRoutes.flatMap((route) =>
  TIMINGS.flatMap((when) => callFaults(when).map((fault) => ({ ...fault, route }))),
);
const isSlow = ({ action }: ServiceCell) => action.kind === 'hang' || action.kind === 'slow-body';
const quick = cells.filter((cell) => !isSlow(cell)).filter((_cell, index) => index % PART === 0);
const slow = long ? cells.filter(isSlow) : [];

const environment = forFile(runBtpEnvironment);

test('the table has every call, every fault and both timings', () => {
  expect(cells).toHaveLength(serviceRoutes.length * 2 * 14);
  expect(new Set(quick.map(({ route }) => route))).toEqual(new Set(serviceRoutes));
});

test(
  `an instance and its binding are created, updated and deleted once, whatever happens to one call (${quick.length + slow.length} of ${cells.length} cells)`,
  async () => {
    const failures: string[] = [];
    const check = async (cell: ServiceCell) => {
      await holds(environment, cell, TIMEOUT_MS).catch((error: Error) => {
        failures.push(`${cell.route}, ${cell.title}: ${error.message}`);
      });
    };
    await forEach(quick, check);
    const waiting = slow.values();
    await Promise.all(
      Array.from({ length: SLOW_AT_A_TIME }, async () => {
        for (const cell of waiting) await check(cell);
      }),
    );
    expect(failures).toEqual([]);
    expect(environment.simulator.violations()).toEqual([]);
  },
  long ? 5_400_000 : 240_000,
);

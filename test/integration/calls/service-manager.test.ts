/**
 * Each call to Service Manager about an instance, with each fault, before and after its effect, while a ServiceInstance
 * is created, updated and deleted: it converges, and there is never a second instance. `make test` runs a part of the
 * table, `make test-faults` all of it; there, calls without a response take their two minutes.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from '../btp/btp-environment.ts';
import { forEach } from '../harness/for-each.ts';
import { type CallFault, callFaults, TIMINGS } from './call-faults.ts';

const { long } = campaign({ seed: 0, runs: 1 });
const PART = long ? 1 : 13;
/** A call waits for two minutes, and some are repeated. */
const PATIENCE_MS = long ? 900_000 : 90_000;

const routes = ['createInstance', 'getInstanceOperation', 'updateInstance', 'deleteInstance'] as const;

interface Cell extends CallFault {
  readonly route: (typeof routes)[number];
}

const cells: readonly Cell[] = routes.flatMap((route) =>
  TIMINGS.flatMap((when) => callFaults(when).map((fault) => ({ ...fault, route }))),
);
const isQuick = ({ action }: Cell) => action.kind !== 'hang' && action.kind !== 'slow-body';
const chosen = long ? cells : cells.filter(isQuick).filter((_cell, index) => index % PART === 0);

let environment: BtpEnvironment;
beforeAll(async () => {
  environment = await startBtpEnvironment('btp-calls');
  await environment.start();
});
afterAll(() => environment?.stop());

test(
  `a ServiceInstance is created, updated and deleted once, whatever happens to one call (${chosen.length} of ${cells.length} cells)`,
  async () => {
    const failures: string[] = [];
    // All at a time: most of them wait.
    await Promise.all(
      [0, 1, 2, 3].map((part) =>
        forEach(
          chosen.filter((_cell, index) => index % 4 === part),
          async (cell) => {
            await holds(cell).catch((error: Error) => {
              failures.push(`${cell.route}, ${cell.title}: ${error.message}`);
            });
          },
        ),
      ),
    );
    expect(failures).toEqual([]);
    expect(environment.simulator.violations()).toEqual([]);
  },
  long ? 3_600_000 : 240_000,
);

async function holds({ route, action, misleads }: Cell): Promise<void> {
  // Without an effect: a 404, or a success whose body is wrong.
  const isDenied =
    route === 'deleteInstance' &&
    (action.kind === 'status' ? action.status === 404 && action.when === 'before' : misleads);
  const { simulator } = environment;
  const instance = await environment.instance();
  const { name } = instance;
  const known = new Set<string>();
  /** In Service Manager; there must never be two. */
  const externalID = () => {
    const ids = instance.external().map(({ id }) => id);
    for (const id of ids) known.add(id);
    expect(ids.length).toBeLessThanOrEqual(1);
    return ids[0];
  };
  const until = (pattern: RegExp) =>
    eventually(
      async () => {
        externalID();
        expect(await instance.condition('Succeeded')).toMatch(pattern);
      },
      { timeoutMs: PATIENCE_MS },
    );
  const handles: { hits(): number }[] = [];
  const faultOn = (on: object) =>
    handles.push(simulator.faults.add({ on: { route, first: 1, ...on }, do: action }));

  if (route === 'createInstance') faultOn({ name });
  await instance.create({
    ...(route === 'getInstanceOperation' ? { servicePlanName: 'async' } : {}),
    parameters: { size: 1 },
  });
  if (route === 'getInstanceOperation') {
    const id = await eventually(
      () => externalID() ?? Promise.reject(new Error('it is not being created')),
      // Calls without a response take the slots of the host meanwhile.
      { timeoutMs: PATIENCE_MS },
    );
    faultOn({ instance: id });
  }
  await until(/^True Created/);

  if (route === 'updateInstance') faultOn({ instance: externalID() });
  await instance.patch({ parameters: { size: 2 } });
  await until(/^True Updated/);
  expect(instance.external()).toMatchObject([{ parameters: { size: 2 } }]);

  if (route === 'deleteInstance') faultOn({ instance: externalID() });
  await instance.delete();
  await eventually(
    async () => {
      externalID();
      expect(await instance.find()).toBeUndefined();
    },
    { timeoutMs: PATIENCE_MS },
  );
  // Service Manager's word that it has deleted the instance, or does not know it, is believed.
  expect(instance.external().length).toBeLessThanOrEqual(isDenied ? 1 : 0);
  expect(known.size).toBe(1);
  expect(handles.map((handle) => handle.hits())).toEqual([1]);
}

/** SIGKILL while requests to Service Manager are in flight leaves no orphan there, and no object without an instance. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import type { InstanceOfTest } from './objects-of-test.ts';

type Route = 'createInstance' | 'updateInstance' | 'deleteInstance';

interface FaultPoint {
  readonly route: Route;
  /** Whether the request in flight has had its effect. */
  readonly when: 'before' | 'after';
  readonly plan?: 'async';
  /** The first create fails after it was accepted, so that its rest is deleted. */
  readonly createFails?: true;
  /** When the object is deleted: the deletion is in flight, or it comes while no provider runs. */
  readonly deleted?: 'in flight' | 'meanwhile';
}

const points: readonly FaultPoint[] = [
  { route: 'createInstance', when: 'before' },
  { route: 'createInstance', when: 'after' },
  { route: 'createInstance', when: 'after', plan: 'async' },
  { route: 'createInstance', when: 'before', deleted: 'meanwhile' },
  { route: 'createInstance', when: 'after', deleted: 'meanwhile' },
  { route: 'createInstance', when: 'after', plan: 'async', deleted: 'meanwhile' },
  { route: 'deleteInstance', when: 'before', createFails: true },
  { route: 'deleteInstance', when: 'after', createFails: true },
  { route: 'updateInstance', when: 'before' },
  { route: 'updateInstance', when: 'after' },
  { route: 'updateInstance', when: 'after', plan: 'async' },
  { route: 'updateInstance', when: 'after', deleted: 'meanwhile' },
  { route: 'deleteInstance', when: 'before', deleted: 'in flight' },
  { route: 'deleteInstance', when: 'after', deleted: 'in flight' },
  { route: 'deleteInstance', when: 'after', plan: 'async', deleted: 'in flight' },
];
const titleOf = ({ route, when, plan, createFails, deleted }: FaultPoint) =>
  `${route} ${when} its effect, ${plan ?? 'sync'}, ${createFails ? 'after a failed create' : (deleted ?? 'kept')}`;

let environment: BtpEnvironment;
const instances = new Map<FaultPoint, InstanceOfTest>();

beforeAll(async () => {
  environment = await startBtpEnvironment();
  const provider = await environment.start();
  const { simulator } = environment;
  await Promise.all(
    points.map(async (point) => {
      const instance = await environment.instance();
      instances.set(point, instance);
      await reach(point, instance);
    }),
  );
  await provider.kill();
  simulator.faults.clear();
  for (const [{ deleted }, instance] of instances) if (deleted === 'meanwhile') await instance.delete();
  await environment.start();
});
afterAll(() => environment?.stop());

/** Until the request of the fault point is in flight. */
async function reach({ route, when, plan, createFails, deleted }: FaultPoint, instance: InstanceOfTest) {
  const { simulator } = environment;
  const { name } = instance;
  if (createFails) {
    const mode = { async: { polls: 0, outcome: 'failed' as const } };
    simulator.modes.add({ on: { name, operation: 'create', first: 1 }, mode });
  }
  const hang = { kind: 'hang' as const, when };
  if (route === 'createInstance') simulator.faults.add({ on: { route, name }, do: hang });
  await instance.create(plan === undefined ? {} : { servicePlanName: plan });
  if (route === 'createInstance') {
    await eventually(() => {
      const reached = simulator
        .requests({ route })
        .some(({ body }) => JSON.stringify(body ?? '').includes(name));
      expect(reached).toBe(true);
    });
    return;
  }
  const id = await eventually(() => {
    const [external] = instance.external();
    expect(external).toBeDefined();
    return external?.id ?? '';
  });
  simulator.faults.add({ on: { route, instance: id }, do: hang });
  if (!createFails) await instance.until('Succeeded', /^True Created/);
  if (route === 'updateInstance') await instance.patch({ parameters: { size: 2 } });
  if (deleted === 'in flight') await instance.delete();
  await eventually(() => expect(simulator.requests({ route, instance: id })).not.toEqual([]));
}

test.each(points.map((point) => ({ title: titleOf(point), point })))('$title', async ({ point }) => {
  const instance = instances.get(point);
  if (point.deleted !== undefined) {
    await instance?.untilGone();
    expect(instance?.external()).toEqual([]);
    return;
  }
  await eventually(async () => {
    expect(await instance?.condition('Ready')).toMatch(/^True/);
    expect(await instance?.condition('Succeeded')).toMatch(/^True/);
    const parameters = point.route === 'updateInstance' ? { parameters: { size: 2 } } : {};
    expect(instance?.external()).toMatchObject([
      { id: (await instance?.find())?.status?.instanceID, ...parameters },
    ]);
  });
});

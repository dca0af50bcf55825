/**
 * SIGKILL while requests about ServiceBindings are in flight leaves no orphan in Service Manager, and no binding without its
 * Secret.
 */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import type { BindingOfTest } from './objects-of-test.ts';

type Route = 'createBinding' | 'getBinding' | 'deleteBinding';

interface FaultPoint {
  readonly route: Route;
  /** Whether the request in flight has had its effect. */
  readonly when: 'before' | 'after';
  readonly async?: true;
  /** The first create fails after it was accepted, so that its rest is deleted. */
  readonly createFails?: true;
  /** The Secret is deleted, so that credentials are read. */
  readonly repair?: true;
  /** When the object is deleted: the deletion is in flight, or it comes while no provider runs. */
  readonly deleted?: 'in flight' | 'meanwhile';
}

const points: readonly FaultPoint[] = [
  { route: 'createBinding', when: 'before' },
  { route: 'createBinding', when: 'after' },
  { route: 'createBinding', when: 'after', async: true },
  { route: 'createBinding', when: 'before', deleted: 'meanwhile' },
  { route: 'createBinding', when: 'after', deleted: 'meanwhile' },
  { route: 'createBinding', when: 'after', async: true, deleted: 'meanwhile' },
  { route: 'getBinding', when: 'before', async: true },
  { route: 'getBinding', when: 'before', async: true, deleted: 'meanwhile' },
  { route: 'getBinding', when: 'before', repair: true },
  { route: 'deleteBinding', when: 'before', createFails: true },
  { route: 'deleteBinding', when: 'after', createFails: true },
  { route: 'deleteBinding', when: 'before', deleted: 'in flight' },
  { route: 'deleteBinding', when: 'after', deleted: 'in flight' },
  { route: 'deleteBinding', when: 'after', async: true, deleted: 'in flight' },
];
const titleOf = ({ route, when, async, createFails, repair, deleted }: FaultPoint) =>
  `${route} ${when} its effect, ${async ? 'async' : 'sync'}, ${createFails ? 'after a failed create' : (deleted ?? 'kept')}${repair ? ', for a deleted Secret' : ''}`;

let environment: BtpEnvironment;
const bindings = new Map<FaultPoint, BindingOfTest>();

beforeAll(async () => {
  environment = await startBtpEnvironment();
  const provider = await environment.start();
  await Promise.all(
    points.map(async (point) => {
      const instance = await environment.instance();
      await instance.create();
      await instance.until('Ready', /^True/);
      const binding = environment.binding(instance);
      bindings.set(point, binding);
      await reach(point, binding);
    }),
  );
  await provider.kill();
  environment.simulator.faults.clear();
  for (const [{ deleted }, binding] of bindings) if (deleted === 'meanwhile') await binding.delete();
  await environment.start();
});
afterAll(() => environment?.stop());

/** Until the request of the fault point is in flight. */
async function reach(
  { route, when, async, createFails, repair, deleted }: FaultPoint,
  binding: BindingOfTest,
): Promise<void> {
  const { simulator } = environment;
  const { name } = binding;
  const hang = { kind: 'hang' as const, when };
  if (createFails) {
    const mode = { async: { polls: 0, outcome: 'failed' as const } };
    simulator.modes.add({ on: { kind: 'binding', name, operation: 'create', first: 1 }, mode });
  } else if (async) {
    simulator.modes.add({ on: { kind: 'binding', name }, mode: { async: { polls: 2 } } });
  }
  if (route === 'createBinding') {
    simulator.faults.add({ on: { route, name }, do: hang });
    await binding.create();
    await eventually(() => {
      const sent = simulator.requests({ route }).map(({ body }) => JSON.stringify(body ?? ''));
      expect(sent.some((body) => body.includes(name))).toBe(true);
    });
    return;
  }
  await binding.create();
  const id = await eventually(() => {
    const [external] = binding.external();
    expect(external).toBeDefined();
    return external?.id ?? '';
  });
  simulator.faults.add({ on: { route, instance: id }, do: hang });
  if (!createFails && !(route === 'getBinding' && async)) await binding.until('Succeeded', /^True Created/);
  if (repair) await binding.deleteSecret();
  if (deleted === 'in flight') await binding.delete();
  await eventually(() => expect(simulator.requests({ route, instance: id })).not.toEqual([]));
}

test.each(points.map((point) => ({ title: titleOf(point), point })))('$title', async ({ point }) => {
  const binding = bindings.get(point);
  if (point.deleted !== undefined) {
    await binding?.untilGone();
    expect([binding?.external(), await binding?.secret()]).toEqual([[], undefined]);
    return;
  }
  await eventually(async () => {
    expect(await binding?.condition('Ready')).toMatch(/^True/);
    expect(await binding?.condition('Succeeded')).toMatch(/^True/);
    const [external, ...others] = binding?.external() ?? [];
    expect(others).toEqual([]);
    expect((await binding?.find())?.status?.bindingID).toBe(external?.id);
    expect((await binding?.entries())?.password).toBe(binding?.password());
    expect(binding?.password()).toBeDefined();
  });
});

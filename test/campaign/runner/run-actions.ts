import { isDeepStrictEqual } from 'node:util';
import type { CampaignModule, CampaignSystem, Violation } from './campaign-module.ts';

/** Performs the actions on a new system, and asks for every invariant. @returns what is violated */
export async function runActions<A>(
  module: CampaignModule<A>,
  actions: readonly A[],
): Promise<readonly Violation[]> {
  const system = await module.start();
  try {
    for (const action of actions) await system.perform(action);
    await system.settle(true);
    const unsettled = of('convergence', system.unsettled());
    // The world of what has not settled is not compared: one cause is reported once.
    const settled = unsettled.length > 0 ? unsettled : await whenSettled(module, system);
    const left = of('orphans', await system.remove());
    return [...system.violations(), ...settled, ...left];
  } finally {
    await system.stop();
  }
}

async function whenSettled<A>(
  module: CampaignModule<A>,
  system: CampaignSystem<A>,
): Promise<readonly Violation[]> {
  const world = system.world();
  const shortest = system.shortest();
  const written = of('rest', await system.rest());
  const direct = await worldAfter(module, shortest);
  return [...written, ...of('path independence', differences(world, direct))];
}

async function worldAfter<A>(module: CampaignModule<A>, actions: readonly A[]): Promise<unknown> {
  const system = await module.start();
  try {
    for (const action of actions) await system.perform(action);
    await system.settle(false);
    return system.world();
  } finally {
    await system.stop();
  }
}

const of = (invariant: Violation['invariant'], texts: readonly string[]): readonly Violation[] =>
  texts.map((what) => ({ invariant, what }));

/** `path: found, not expected`, for each value that differs. */
function differences(found: unknown, expected: unknown, path = ''): readonly string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  if (!isComposite(found) || !isComposite(expected))
    return [`${path || 'world'}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  return names.flatMap((name) => differences(found[name], expected[name], path ? `${path}.${name}` : name));
}

const isComposite = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

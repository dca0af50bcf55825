import { keyOf, keyString } from '../../../internal/framework/kube/index.ts';
import { getCondition, type Managed } from '../../../internal/framework/managed/index.ts';
import type { UserObjects } from './user-objects.ts';

/** Annotations that pause a managed resource, and end that. */
export const PAUSE = {
  on: { 'crossplane.io/paused': 'true' },
  off: { 'crossplane.io/paused': null },
} as const;

/** Ready, and as its spec says. */
export const isSettled = (object: Managed): boolean =>
  ['Ready', 'Synced'].every((type) => {
    const condition = getCondition(object, type);
    return condition?.status === 'True' && condition.observedGeneration === object.metadata.generation;
  });

/** Objects that are not ready, or not gone. @param found all of the kind */
export function unsettledManaged<T extends Managed, S>(
  found: readonly T[],
  { wanted, keyAt }: UserObjects<T, S>,
): readonly string[] {
  const names = new Set([...wanted().keys()].map((at) => keyString(keyAt(at))));
  const present = new Set(found.map((object) => keyString(keyOf(object))));
  return [
    ...found.flatMap((object) => {
      const name = keyString(keyOf(object));
      if (!names.has(name)) return [`${object.kind} ${name} is not gone: ${shown(object)}`];
      return isSettled(object) ? [] : [`${object.kind} ${name} is not ready: ${shown(object)}`];
    }),
    ...[...names].filter((name) => !present.has(name)).map((name) => `${name} is gone`),
  ];
}

const shown = ({ status }: Managed): string =>
  (status?.conditions ?? [])
    .map(({ type, status, reason, message }) => `${type}=${status} ${reason} ${message ?? ''}`.trimEnd())
    .join('; ');

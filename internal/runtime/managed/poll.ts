import type { Clock } from '../../base/clock.ts';
import { createLruCache } from '../../base/lru-cache.ts';
import { jitter, type Random } from '../../base/random.ts';
import { pollIntervalFrom } from './meta.ts';
import type { Managed } from './resource.ts';

/** Changes the interval, in ms, after which a settled resource is looked at again. */
export type PollIntervalHook<R extends Managed = Managed> = (resource: R, intervalMs: number) => number;

export interface PollOptions {
  /** For resources that name none of their own, in ms. */
  readonly intervalMs: number;
  /** Lower bound for what resources ask for, in ms. */
  readonly minIntervalMs: number;
}

/** Longest interval that a resource can ask for; the clock of a group of resources needs a finite one. */
const MAX_INTERVAL_MS = 86_400_000;

/** The interval the resource asks for by annotation, within bounds, or the controller's. */
export function effectivePollInterval(resource: Managed, { intervalMs, minIntervalMs }: PollOptions): number {
  const own = pollIntervalFrom(resource);
  return own === undefined ? intervalMs : Math.max(Math.min(own, MAX_INTERVAL_MS), minIntervalMs);
}

/** Spreads polls by up to `fraction` of the interval either way, so that they do not come in waves. */
export function jitterFraction(fraction: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => jitter(intervalMs, fraction, random);
}

/** The moment of a group of resources within each interval, as a share of it, from 0 to 1. */
export type PollMoments = (group: string) => number;

/** Of the groups whose moments are remembered, about 100,000. One that is forgotten gets another moment, nothing else. */
const MAX_BYTES = 40 * 1024 * 1024;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/**
 * Each group that comes gets a moment in the widest of the gaps that those before it have left: multiples of the golden
 * ratio do that. However few or many there are, and whatever their names, the fullest part of an interval has hardly
 * more of them than any other, while chance, or a hash of the name, would leave it twice as many as are due and more.
 */
export function createPollMoments(): PollMoments {
  const turns = createLruCache<string, number>({ maxBytes: MAX_BYTES });
  let next = 1;
  return (group) => {
    const turn = turns.get(group) ?? next++;
    turns.set(group, turn);
    return (turn * GOLDEN_RATIO) % 1;
  };
}

/**
 * Has all resources of a group looked at together, at a moment of each interval that is the group's own: what one of
 * them reads of the other side can then serve them all. Groups are spread over the interval, which takes the place of
 * jitter. The wait is from half to one and a half of the interval, and one interval from then on.
 *
 * @param groupOf undefined for a resource that is polled for itself, by `alone`
 * @param momentOf for several kinds whose resources belong to the same groups; default: of its own
 */
export function inGroups<R extends Managed>(
  clock: Clock,
  groupOf: (resource: R) => string | undefined,
  alone: PollIntervalHook<R>,
  momentOf: PollMoments = createPollMoments(),
): PollIntervalHook<R> {
  return (resource, intervalMs) => {
    const group = groupOf(resource);
    if (group === undefined) return alone(resource, intervalMs);
    const sinceItsMoment = (clock.monotonic() + momentOf(group) * intervalMs) % intervalMs;
    const untilItsMoment = intervalMs - sinceItsMoment;
    return untilItsMoment < intervalMs / 2 ? untilItsMoment + intervalMs : untilItsMoment;
  };
}

/** Spreads polls by up to `spreadMs` either way. */
export function jitterSpan(spreadMs: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => intervalMs + spreadMs * (2 * random() - 1);
}

import { hash } from 'node:crypto';
import { jitter, type Random } from '../../base/random.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Managed } from '../resource/managed.ts';
import { pollIntervalFrom } from '../resource/meta.ts';

/** Changes the poll interval of a settled resource, in ms. */
export type PollIntervalHook<R extends Managed = Managed> = (resource: R, intervalMs: number) => number;

export interface PollOptions {
  /** For resources without the annotation, in ms. */
  readonly intervalMs: number;
  /** Lower bound for the annotation, in ms. */
  readonly minIntervalMs: number;
}

/** Upper bound for the annotation; a group of resources needs a finite interval. */
const MAX_INTERVAL_MS = 86_400_000;

/** The interval of the annotation, within bounds, or that of the controller. */
export function effectivePollInterval(resource: Managed, { intervalMs, minIntervalMs }: PollOptions): number {
  const own = pollIntervalFrom(resource);
  return own === undefined ? intervalMs : Math.max(Math.min(own, MAX_INTERVAL_MS), minIntervalMs);
}

/** Jitter: changes the interval by up to `fraction` in either direction. */
export function jitterFraction(fraction: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => jitter(intervalMs, fraction, random);
}

/** The offset of a group within each interval, as a share from 0 to 1: a hash of its name. */
export function pollOffsetOf(group: string): number {
  return hash('sha1', group, 'buffer').readUInt32BE() / 2 ** 32;
}

/**
 * Polls all resources of a group at the same offset of each interval, so that one external read serves all of them.
 * The hash of the group spreads groups over the interval, in place of a jitter. The first delay is from 0.5 to 1.5
 * intervals, the next ones are one interval.
 *
 * @param groupOf undefined for a resource that is polled on its own, by `alone`
 */
export function inGroups<R extends Managed>(
  clock: Clock,
  groupOf: (resource: R) => string | undefined,
  alone: PollIntervalHook<R>,
): PollIntervalHook<R> {
  return (resource, intervalMs) => {
    const group = groupOf(resource);
    if (group === undefined) return alone(resource, intervalMs);
    const sinceOffset = (clock.monotonic() + pollOffsetOf(group) * intervalMs) % intervalMs;
    const untilOffset = intervalMs - sinceOffset;
    return untilOffset < intervalMs / 2 ? untilOffset + intervalMs : untilOffset;
  };
}

/** Jitter: changes the interval by up to `spreadMs` in either direction. */
export function jitterSpan(spreadMs: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => intervalMs + spreadMs * (2 * random() - 1);
}

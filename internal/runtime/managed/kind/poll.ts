import { hash } from 'node:crypto';
import { jitter, type Random } from '../../../base/random.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Managed } from '../../resource/managed.ts';
import { pollIntervalFrom } from '../../resource/meta.ts';

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

/** When within each interval a group of resources is polled, as a share of the interval from 0 to 1: a hash of its name. */
export function pollOffsetOf(group: string): number {
  return hash('sha1', group, 'buffer').readUInt32BE() / 2 ** 32;
}

/**
 * Polls all resources of a group at the same moment of each interval, so that one read of the external API serves all of
 * them. The hash of the group spreads groups over the interval, which replaces the jitter. The first delay is from half
 * to one and a half of the interval; from then on it is one interval.
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

/** Spreads polls by up to `spreadMs` either way. */
export function jitterSpan(spreadMs: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => intervalMs + spreadMs * (2 * random() - 1);
}

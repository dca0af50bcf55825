import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
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

/** The interval the resource asks for by annotation, within bounds, or the controller's. */
export function effectivePollInterval(resource: Managed, { intervalMs, minIntervalMs }: PollOptions): number {
  const own = pollIntervalFrom(resource);
  return own === undefined ? intervalMs : Math.max(own, minIntervalMs);
}

/** Spreads polls by up to `fraction` of the interval either way, so that they do not come in waves. */
export function jitterFraction(fraction: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => jitter(intervalMs, fraction, random);
}

/**
 * Has all resources of a group looked at together, at a moment of each interval that is the group's own: what one of
 * them reads of the other side can then serve them all. Groups are spread over the interval, which takes the place of
 * jitter. The wait is from half to one and a half of the interval, and one interval from then on.
 *
 * @param groupOf undefined for a resource that is polled for itself, by `alone`
 */
export function inGroups<R extends Managed>(
  clock: Clock,
  groupOf: (resource: R) => string | undefined,
  alone: PollIntervalHook<R>,
): PollIntervalHook<R> {
  return (resource, intervalMs) => {
    const group = groupOf(resource);
    if (group === undefined) return alone(resource, intervalMs);
    const sinceItsMoment = (clock.monotonic() + shareOf(group) * intervalMs) % intervalMs;
    const untilItsMoment = intervalMs - sinceItsMoment;
    return untilItsMoment < intervalMs / 2 ? untilItsMoment + intervalMs : untilItsMoment;
  };
}

/** From 0 to 1, the same for the same name, evenly spread over names. */
function shareOf(name: string): number {
  return hash('sha1', name, 'buffer').readUInt32BE(0) / 2 ** 32;
}

/** Spreads polls by up to `spreadMs` either way. */
export function jitterSpan(spreadMs: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => intervalMs + spreadMs * (2 * random() - 1);
}

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

/** Spreads polls by up to `spreadMs` either way. */
export function jitterSpan(spreadMs: number, random: Random): PollIntervalHook {
  return (_, intervalMs) => intervalMs + spreadMs * (2 * random() - 1);
}

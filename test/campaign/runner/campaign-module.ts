import type fc from 'fast-check';

/**
 * What must hold after any actions, in every module.
 *
 * - convergence: when faults and conflicts have ended, each object is as its condition should say
 * - path independence: the external world is equal to that of a new system with only the last specs
 * - rest: a system that has converged writes nothing after a restart and two polls
 * - commands: no operation begins whose target is the present state, unless the answer to the one before was lost
 * - ownership: nothing of others is changed
 * - orphans: when all objects are deleted, nothing of them is left
 * - write rate: the writes of a minute are bounded
 */
export type Invariant =
  | 'convergence'
  | 'path independence'
  | 'rest'
  | 'commands'
  | 'ownership'
  | 'orphans'
  | 'write rate';

export interface Violation {
  readonly invariant: Invariant;
  /** What is wrong with which object. */
  readonly what: string;
}

/** A module, its users, and the external world, from a start to its end. */
export interface CampaignSystem<A> {
  /** What a user, an owner, another tenant, the external system, the network or the process does. Time passes meanwhile. */
  perform(action: A): Promise<void>;
  /**
   * Ends all faults, and what only users can end: conflicts, refused edits, pauses. Time passes until nothing is left to do.
   *
   * @param changesLast what objects depend on changes once more then, as Secrets and the configuration: before, edits and starts may hide
   * that it is not noticed
   */
  settle(changesLast: boolean): Promise<void>;
  /** Objects that are not as they should be when all has settled. */
  unsettled(): readonly string[];
  /** What exists outside, by names that do not depend on what happened before. */
  world(): unknown;
  /** The shortest way to the same objects: what a user does who has only the last specs. */
  shortest(): readonly A[];
  /** Starts the process anew, and lets the time of two polls pass. @returns what was written */
  rest(): Promise<readonly string[]>;
  /** Deletes what users have. @returns what is left of it after a time in which all should be gone */
  remove(): Promise<readonly string[]>;
  /** What has happened so far that must never happen. */
  violations(): readonly Violation[];
  stop(): Promise<void>;
}

export interface CampaignModule<A> {
  readonly name: string;
  /** Plain data, so that a failure shows them and a known violation can state them. */
  readonly action: fc.Arbitrary<A>;
  start(): Promise<CampaignSystem<A>>;
}

/** A violation that exists today. */
export interface KnownViolation<A> {
  readonly invariant: Invariant;
  /** Part of `what`, in each violation that it explains. */
  readonly what: RegExp;
  /** The fewest actions that show it. They are part of each campaign: an entry that shows nothing any more must be removed. */
  readonly actions: readonly A[];
  readonly reason: string;
  /** The day on which it was found. */
  readonly since: string;
}

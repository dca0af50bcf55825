/**
 * A kind whose resources stand for instance mappings: KymaInstanceMapping, which finds the IDs by itself, and
 * InstanceMapping, which is told them. Both keep their mapping by the same rules:
 *
 * - mapping-client.ts observes, replaces and deletes
 * - recorded-identity.ts decides which mapping is the resource's own, and what a deletion is about
 * - ready.ts says when the mapping counts as usable; messages.ts has the messages
 */
import type { Clock } from '../../../base/time/clock.ts';
import type { Managed } from '../../../runtime/index.ts';
import type { MappingIdentity } from './identity/mapping-identity.ts';
import type { Records } from './identity/recorded-identity.ts';

/** What differs from kind to kind: where spec and status say what. */
export interface MappingKind<R extends Managed> {
  recordsOf(resource: R): Records;
  wantsDefault(resource: R): boolean;
  /** Whether the status says that the known mapping was there when it was last looked for. */
  wasPresent(resource: R): boolean;
  /** The mapping was seen. */
  notePresent(resource: R, identity: MappingIdentity, clock: Clock): void;
  /** It is not there. Its recorded identity stays: it is what a deletion goes by. */
  noteAbsent(resource: R, clock: Clock): void;
  /**
   * It is being asked for: whatever becomes of the answer, it may exist from here on and is the resource's own, yet
   * nobody has seen it.
   */
  noteRequested(resource: R, identity: MappingIdentity): void;
}

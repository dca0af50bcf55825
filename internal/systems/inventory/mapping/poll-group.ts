import type { Managed } from '../../../framework/managed/index.ts';
import type { MappingKind } from './mapping-kind.ts';

/** Mappings of one instance are polled together, so that one list request serves all of them. */
export function pollGroupOf<R extends Managed>(kind: MappingKind<R>, resource: R): string | undefined {
  return kind.recordsOf(resource).known?.serviceInstanceID;
}

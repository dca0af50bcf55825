import type { Managed } from '../../../runtime/index.ts';
import type { MappingKind } from './mapping-kind.ts';

/** Mappings of one instance are polled together: HANA Cloud's one list of them then serves all. */
export function pollGroupOf<R extends Managed>(kind: MappingKind<R>, resource: R): string | undefined {
  return kind.recordsOf(resource).known?.serviceInstanceID;
}

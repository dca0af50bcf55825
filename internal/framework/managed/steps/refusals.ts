import { kindOf } from '../../base/errors/errors.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { Managed } from '../resource/managed.ts';
import { reconcileRequestFrom, recordedExternalName } from '../resource/meta.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Records `error` if it is terminal. */
export function noteRefusal<R extends Managed>(
  { memory, copy }: Reconciliation<R>,
  verb: string,
  error: unknown,
): void {
  if (kindOf(error) !== 'terminal') return;
  memory.set({ ...memory.get(), refusal: { of: writeOf(verb, copy.object), error } });
}

/** The error of the same write; `undefined` if there is none. */
export function recalledRefusal<R extends Managed>(
  { memory, copy }: Reconciliation<R>,
  verb: string,
): unknown {
  const refusal = memory.get()?.refusal;
  return refusal?.of === writeOf(verb, copy.object) ? refusal.error : undefined;
}

function writeOf(verb: string, object: KubeObject): string {
  const { uid, generation } = object.metadata;
  return JSON.stringify([verb, uid, generation, recordedExternalName(object), reconcileRequestFrom(object)]);
}

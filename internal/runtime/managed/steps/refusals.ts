import { kindOf } from '../../../base/errors/errors.ts';
import type { KubeObject } from '../../../kube/object/object.ts';
import type { KeyStore } from '../../controller/key-store.ts';
import { externalNameFrom, reconcileRequestFrom } from '../../resource/meta.ts';

/**
 * Remembers writes that the other side refused for good, so that polls observe on without repeating them. A changed
 * spec or external name, a reconcile request or a restart gives the write another try.
 */
export interface Refusals {
  /** Remembers `error` if it is terminal. */
  note(key: string, verb: string, object: KubeObject, error: unknown): void;
  /** Why the same write was refused before; `undefined` where it was not. */
  recall(key: string, verb: string, object: KubeObject): unknown;
}

interface Refusal {
  readonly of: string;
  readonly error: unknown;
}

export function createRefusals(keys: KeyStore): Refusals {
  const refusals = keys.values<Refusal>('refusals');
  return {
    note: (key, verb, object, error) => {
      if (kindOf(error) === 'terminal') refusals.set(key, { of: writeOf(verb, object), error });
    },
    recall: (key, verb, object) => {
      const refusal = refusals.get(key);
      return refusal?.of === writeOf(verb, object) ? refusal.error : undefined;
    },
  };
}

function writeOf(verb: string, object: KubeObject): string {
  const { uid, generation } = object.metadata;
  return JSON.stringify([verb, uid, generation, externalNameFrom(object), reconcileRequestFrom(object)]);
}

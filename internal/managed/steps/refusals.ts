import { kindOf } from '../../base/errors/errors.ts';
import type { KeyStore } from '../../controller/key-store.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { externalNameFrom, reconcileRequestFrom } from '../resource/meta.ts';

/**
 * External writes that failed with a terminal error. Polls then only observe. A changed spec or external name, a
 * reconcile request or a restart allows the write again.
 */
export interface Refusals {
  /** Records `error` if it is terminal. */
  note(key: string, verb: string, object: KubeObject, error: unknown): void;
  /** The error of the same write; `undefined` if there is none. */
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

import { type Answer, json } from '../../base/answer.ts';
import { notFound } from '../answers.ts';
import type { Store, Subaccount } from '../state/store.ts';

/** One poll of an operation of an object of the subaccount. */
export function pollOperation(store: Store, owner: Subaccount, id: string, operationID: string): Answer {
  const known = store.operation(operationID);
  const isOwn = known?.resource_id === id && isOwned(owner, id, known.state);
  const polled = isOwn ? store.poll(operationID) : undefined;
  return polled === undefined ? notFound(`could not find such operation: ${operationID}`) : json(200, polled);
}

/** A finished deletion is still found: its object is gone. */
function isOwned({ instances, bindings }: Subaccount, id: string, state: string): boolean {
  return instances.has(id) || bindings.has(id) || state === 'succeeded';
}

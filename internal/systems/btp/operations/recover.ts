import {
  type ReconcileResult,
  requeueAfter,
  requeueInProgress,
} from '../../../framework/controller/index.ts';
import { type Operation, type OperationPath, operationURL } from '../service-manager/index.ts';
import type { Transition } from '../status/conditions.ts';
import type { KnownOperation } from '../status/messages.ts';
import { scrubbed } from './report-failure.ts';
import { noOperation, type Run, setStatus } from './run.ts';

/** Records in memory a resource that was found in Service Manager. */
export async function adopt(run: Run, found: FoundResource, how: Transition = {}): Promise<ReconcileResult> {
  const { object, external, conditions, settings } = run;
  external.setID(found.id);
  setStatus(object, {
    ...noOperation,
    subaccountID: found.subaccountID ?? object.status?.subaccountID,
    ready: found.ready ? 'True' : 'False',
  });
  const state = recoveredState(found, external.collection);
  if (state.state === 'succeeded') {
    conditions.succeeded(state.type, how);
    return requeueAfter(0);
  }
  const text = await scrubbed(run, state.text);
  if (state.state === 'failed') {
    conditions.operationFailed(state.type, text, how);
    return requeueAfter(0);
  }
  conditions.inProgress(state.type, text, how);
  if (state.url !== '') setStatus(object, { operationURL: state.url, operationType: state.type });
  return requeueInProgress(settings.pollIntervalMs);
}

/** An instance or binding in Service Manager. */
interface FoundResource {
  readonly id: string;
  readonly ready: boolean;
  readonly subaccountID?: string;
  readonly lastOperation?: Operation;
}

/** What a resource that was found in Service Manager means for the object. */
export type RecoveredState =
  | { readonly state: 'succeeded'; readonly type: KnownOperation }
  | {
      readonly state: 'in-progress';
      readonly type: KnownOperation;
      readonly text: string;
      readonly url: string;
    }
  | { readonly state: 'failed'; readonly type: KnownOperation; readonly text: string };

/** The state of the last operation; without one, whether it can be used. */
export function recoveredState(
  found: FoundResource,
  collection: OperationPath['collection'],
): RecoveredState {
  const { lastOperation } = found;
  if (lastOperation === undefined) {
    return found.ready
      ? { state: 'succeeded', type: 'create' }
      : { state: 'failed', type: 'create', text: '' };
  }
  const { state, type, description: text = '' } = lastOperation;
  switch (state) {
    case 'succeeded':
      return { state, type };
    case 'failed':
      return { state, type, text: lastOperation.errorDescription ?? text };
    case 'pending':
    case 'in progress':
      return inProgress({ collection, id: found.id }, lastOperation, text);
    default:
      return state satisfies never;
  }
}

/** Without an ID the operation cannot be polled; the next reconcile reads the resource again. */
function inProgress(
  path: Omit<OperationPath, 'operationID'>,
  { id: operationID, type }: Operation,
  text: string,
): RecoveredState {
  const url = operationID === undefined ? '' : operationURL({ ...path, operationID });
  return { state: 'in-progress', type, text, url };
}

import {
  type ReconcileResult,
  requeueAfter,
  requeueInProgress,
} from '../../../framework/controller/index.ts';
import type { Transition } from '../status/conditions.ts';
import { type FoundResource, recoveredState } from './recovered-state.ts';
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

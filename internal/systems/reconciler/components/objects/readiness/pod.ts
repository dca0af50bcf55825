import { valueAt } from '../../../../../framework/base/json/json-field.ts';
import { type KubeObject, wasDeleted } from '../../../../../framework/kube/object/object.ts';
import { type CheckReadiness, failed, pending, ready } from './readiness.ts';
import { conditionsOf } from './status-fields.ts';

/** It runs, and all its conditions are true; or it has done its work. A failed one fails the deployment: it is not started again. */
export const checkPod: CheckReadiness = (pod) => {
  if (wasDeleted(pod)) return pending('it is being deleted');
  const phase = valueAt(pod, ['status', 'phase']);
  if (phase === 'Succeeded') return ready;
  if (phase === 'Failed')
    return failed(`it failed: ${textAt(pod, 'reason')} ${textAt(pod, 'message')}`.trim());
  if (phase !== 'Running') return pending(`its phase is ${typeof phase === 'string' ? phase : 'unknown'}`);
  const unmet = conditionsOf(pod).find(({ status }) => status !== 'True');
  return unmet === undefined ? ready : pending(`its condition ${unmet.type} is ${unmet.status}`);
};

function textAt(pod: KubeObject, field: string): string {
  const text = valueAt(pod, ['status', field]);
  return typeof text === 'string' ? text : '';
}

import { valueAt } from '../../../../../framework/base/json/json-field.ts';
import { wasDeleted } from '../../../../../framework/kube/object/object.ts';
import { type CheckReadiness, pending, ready } from './readiness.ts';
import { conditionsOf } from './status-fields.ts';

/** It runs, and all its conditions are true. */
export const checkPod: CheckReadiness = (pod) => {
  if (wasDeleted(pod)) return pending('it is being deleted');
  const phase = valueAt(pod, ['status', 'phase']);
  if (phase !== 'Running') return pending(`its phase is ${typeof phase === 'string' ? phase : 'unknown'}`);
  const unmet = conditionsOf(pod).find(({ status }) => status !== 'True');
  return unmet === undefined ? ready : pending(`its condition ${unmet.type} is ${unmet.status}`);
};

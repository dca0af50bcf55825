import { valueAt } from '../../../../../framework/base/json/json-field.ts';
import { type CheckReadiness, pending, ready } from './readiness.ts';
import { are, countAt, isObserved, NOT_OBSERVED } from './status-fields.ts';

/** All pods are ready, and all that the partition permits are of the newest version. */
export const checkStatefulSet: CheckReadiness = (set) => {
  if (!isObserved(set)) return pending(NOT_OBSERVED);
  const wanted = countAt(set, ['spec', 'replicas'], 1);
  const partition = countAt(set, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']);
  const updated = countAt(set, ['status', 'updatedReplicas']);
  const isManual = valueAt(set, ['spec', 'updateStrategy', 'type']) === 'OnDelete';
  const toUpdate = Math.max(wanted - partition, 0);
  if (!isManual && updated < toUpdate)
    return pending(`${updated} of ${toUpdate} ${are(toUpdate, 'replica')} updated`);
  const count = countAt(set, ['status', 'readyReplicas']);
  if (count === wanted) return ready;
  return pending(`${count} of ${wanted} ${are(wanted, 'replica')} ready`);
};

import { valueAt } from '../../../../../framework/base/json/json-field.ts';
import { type CheckReadiness, pending, ready } from './readiness.ts';
import { are, countAt, isObserved, NOT_OBSERVED } from './status-fields.ts';

/** All pods are of the newest version, and one is ready. No node may be selected: then there is nothing to wait for. */
export const checkDaemonSet: CheckReadiness = (set) => {
  if (!isObserved(set)) return pending(NOT_OBSERVED);
  const wanted = countAt(set, ['status', 'desiredNumberScheduled']);
  if (wanted === 0) return ready;
  const updated = countAt(set, ['status', 'updatedNumberScheduled']);
  const isManual = valueAt(set, ['spec', 'updateStrategy', 'type']) === 'OnDelete';
  if (!isManual && updated !== wanted)
    return pending(`${updated} of ${wanted} ${are(wanted, 'pod')} updated`);
  const count = countAt(set, ['status', 'numberReady']);
  return count >= 1 ? ready : pending(`${count} of ${wanted} ${are(wanted, 'pod')} ready`);
};

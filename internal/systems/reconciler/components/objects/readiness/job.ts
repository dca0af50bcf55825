import { valueAt } from '../../../../../framework/base/index.ts';
import type { KubeObject } from '../../../../../framework/kube/index.ts';

import { type CheckReadiness, failed, pending, ready } from './readiness.ts';
import { conditionsOf, countAt, isTrue } from './status-fields.ts';

/** Whether the cluster deletes the Job some time after it has ended. */
export const hasTimeToLive = ({ apiVersion, kind, ...job }: KubeObject): boolean =>
  apiVersion.startsWith('batch/') &&
  kind === 'Job' &&
  typeof valueAt(job, ['spec', 'ttlSecondsAfterFinished']) === 'number';

/** It is complete. A failed Job fails the deployment; a suspended one is not awaited. */
export const checkJob: CheckReadiness = (job) => {
  const failure = conditionsOf(job).find(({ type, status }) => type === 'Failed' && status === 'True');
  if (failure !== undefined) return failed(`it failed: ${failure.reason} ${failure.message}`.trim());
  if (isTrue(job, 'Complete') || valueAt(job, ['spec', 'suspend']) === true) return ready;
  const wanted = countAt(job, ['spec', 'completions'], 1);
  return pending(`${countAt(job, ['status', 'succeeded'])} of ${wanted} completions`);
};

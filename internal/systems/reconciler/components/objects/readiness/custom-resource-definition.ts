import { type CheckReadiness, pending, ready } from './readiness.ts';
import { conditionsOf, isTrue } from './status-fields.ts';

/** Its kinds are served, or never will be because another CRD has their names. */
export const checkCrd: CheckReadiness = (crd) => {
  const isTaken = conditionsOf(crd).some(
    ({ type, status }) => type === 'NamesAccepted' && status === 'False',
  );
  return isTrue(crd, 'Established') || isTaken ? ready : pending('it is not established');
};

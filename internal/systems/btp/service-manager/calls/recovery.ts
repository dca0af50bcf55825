import type { KubernetesIdentity, RecoveryQuery } from '../objects.ts';
import { all, equal } from '../query.ts';

/** Of a page of a list. */
export type ListQuery = ReturnType<typeof recoveryQuery | typeof clusterQuery | typeof idQuery>;

/** The query that finds the object of a resource, for a page. */
export function recoveryQuery({ name, identity }: RecoveryQuery, token: string | undefined) {
  return {
    fieldQuery: all(
      equal('name', name),
      equal('context/clusterid', identity.clusterID),
      equal('context/namespace', identity.namespace),
    ),
    labelQuery: equal('_k8sname', identity.name),
    attach_last_operations: 'true' as const,
    ...(token === undefined ? {} : { token }),
  };
}

/** The query for all objects of a cluster, for a page. */
export function clusterQuery(clusterID: string, token: string | undefined) {
  return { labelQuery: equal('_clusterid', clusterID), ...(token === undefined ? {} : { token }) };
}

/** The query for one object, for a page. */
export function idQuery(id: string, token: string | undefined) {
  return { fieldQuery: equal('id', id), ...(token === undefined ? {} : { token }) };
}

/** The labels that `recoveryQuery` finds. */
export function operatorLabels({ clusterID, namespace, name }: KubernetesIdentity) {
  return { _namespace: [namespace], _k8sname: [name], _clusterid: [clusterID] };
}

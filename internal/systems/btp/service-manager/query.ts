import type { KubernetesIdentity, RecoveryQuery } from './objects.ts';

/** Queries of Service Manager: `fieldQuery` and `labelQuery`. */

/** `name eq 'value'` */
export function equal(name: string, value: string): string {
  return `${name} eq ${quoted(value)}`;
}

/** `name in ('a', 'b')` */
export function oneOf(name: string, values: readonly string[]): string {
  return `${name} in (${values.map(quoted).join(', ')})`;
}

/** All clauses. */
export function all(...clauses: readonly string[]): string {
  return clauses.join(' and ');
}

/** A quote in a value is doubled, so that the value cannot end the clause. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Parameters sorted by name, form-encoded. */
export function serializeQuery(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string') parameters.append(name, value);
  }
  parameters.sort();
  return parameters.toString();
}

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

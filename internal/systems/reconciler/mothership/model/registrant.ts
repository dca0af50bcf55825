import { isSameOwner, type Owner } from '../../../../framework/ownership/ownership.ts';
import type { Metadata, RuntimeInput } from './cluster.ts';

/** The namespace of Runtimes and of the Secrets with their kubeconfigs: who may write it is no tenant. */
export const OPERATOR_NAMESPACE = 'kcp-system';

/** Clients with the role operator that name no namespace: the environment broker, KymaClusters of the cluster scope. */
const operators: Owner = { kind: 'client', name: 'with the role operator' };

const namespaceIn = (name: string): string | undefined =>
  /^([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\//.exec(name)?.[1];

/**
 * Why a client may not register a cluster of the name; undefined: it may. Customers of the environment broker choose names of clusters: one that
 * begins as those of a namespace must not belong to it.
 *
 * @param namespace that the client acts for, as it says; empty: none
 */
export function foreignNameProblem(name: string, namespace: string): string | undefined {
  if (namespace === (namespaceIn(name) ?? '')) return undefined;
  return namespace === ''
    ? 'a name that begins with NAMESPACE/ is that of a KymaCluster of this namespace'
    : `the name of a cluster of namespace ${namespace} begins with ${namespace}/`;
}

/**
 * Who registered a cluster. The record is in its name: the controller of namespaced KymaClusters begins it with `NAMESPACE/`, which
 * the authors of KymaClusters cannot change, and no other client may.
 */
export function registrantOf({ name }: Pick<RuntimeInput, 'name'>): Owner {
  const namespace = namespaceIn(name);
  return namespace === undefined || namespace === OPERATOR_NAMESPACE
    ? operators
    : { kind: 'namespace', name: namespace };
}

/** A tenant registers clusters by their kubeconfigs, and has no access to clusters of others by their ids. */
export const isTenant = (registrant: Owner): boolean => !isSameOwner(registrant, operators);

/**
 * Whose share of every limit a cluster takes: that of the namespace of its KymaCluster, or else of its global account. A cluster that
 * belongs to none has a share of its own.
 */
export function tenantOf(
  name: string,
  { globalAccountID, subAccountID }: Pick<Metadata, 'globalAccountID' | 'subAccountID'>,
  runtimeId: string,
): string {
  const registrant = registrantOf({ name });
  if (isTenant(registrant)) return `namespace ${registrant.name}`;
  const account = globalAccountID || subAccountID;
  return account === '' ? `cluster ${runtimeId}` : `account ${account}`;
}

/**
 * The resources in Service Manager that belong to the namespace of an object. The ID in a status is no proof: who may write the status
 * can write the ID of a resource of another namespace, to delete it or to get its credentials.
 */
import { createLruCache } from '../../../framework/base/collections/lru-cache.ts';
import {
  isPermitted,
  type Owner,
  type OwnershipRule,
  recordedOwnership,
} from '../../../framework/ownership/ownership.ts';

/** As Service Manager shows it. */
export interface LabelledResource {
  readonly id: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly subaccountID?: string;
}

export interface OwnResources {
  /**
   * The resource; undefined if it belongs to another namespace of this cluster.
   *
   * @param viewer to whom Service Manager showed it
   */
  own<R extends LabelledResource>(namespace: string, found: R | undefined, viewer: string): R | undefined;
  /** Records a resource that this process has created. */
  created(namespace: string, id: string, viewer: string): void;
  /** Whether this process has created it or seen whose it is. */
  isKnown(namespace: string, id: string): boolean;
  /** Whether this process has created or seen it as this viewer. */
  wasSeenBy(viewer: string, id: string): boolean;
  /** Records whose resources the viewer sees. */
  note(viewer: string, found: Pick<LabelledResource, 'subaccountID'>): void;
  /** The subaccount of the credentials, by the resources that they see; undefined: they have seen none. */
  subaccountOf(viewer: string): string | undefined;
}

/** Without these labels, or with those of another cluster, it was created by other means or restored: the status is believed. */
const RULE: OwnershipRule = { unrecorded: ['adopt', 'update', 'delete'], abandoned: [] };

/** The labels of a resource record the namespace that owns it. */
const ownerOf = (namespace: string): Owner => ({ kind: 'Namespace', name: namespace });

/** Memory for about 20,000 IDs. Others are read before they are deleted or bound. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Memory for about 2000 clients. */
const MAX_SUBACCOUNT_BYTES = 512 * 1024;

export function createOwnResources(clusterID: string): OwnResources {
  /** `namespace/viewer` by ID. */
  const known = createLruCache<string, string>({ maxBytes: MAX_BYTES });
  const subaccounts = createLruCache<string, string>({ maxBytes: MAX_SUBACCOUNT_BYTES });
  const note: OwnResources['note'] = (viewer, { subaccountID }) => {
    if (subaccountID !== undefined) subaccounts.set(viewer, subaccountID);
  };
  return {
    own: (namespace, found, viewer) => {
      if (found === undefined) return undefined;
      note(viewer, found);
      const { _clusterid: clusters = [], _namespace: namespaces = [] } = found.labels;
      const named = clusters.includes(clusterID) ? namespaces : [];
      const recorded = named.find((each) => each === namespace) ?? named[0];
      const ownership = recordedOwnership(
        ownerOf(namespace),
        recorded === undefined ? undefined : ownerOf(recorded),
      );
      if (!isPermitted(ownership, 'adopt', RULE)) return undefined;
      known.set(found.id, `${namespace}/${viewer}`);
      return found;
    },
    created: (namespace, id, viewer) => known.set(id, `${namespace}/${viewer}`),
    isKnown: (namespace, id) => known.get(id)?.startsWith(`${namespace}/`) ?? false,
    wasSeenBy: (viewer, id) => known.get(id)?.endsWith(`/${viewer}`) ?? false,
    note,
    subaccountOf: (viewer) => subaccounts.get(viewer),
  };
}

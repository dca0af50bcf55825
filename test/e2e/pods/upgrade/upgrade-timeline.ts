import type { RecordedEvent } from '../record-objects.ts';

/** What a timeline is read from. */
export const TIMELINE_TYPES = [
  'providerrevisions.pkg.crossplane.io',
  'deployments.apps',
  'pods',
  'leases.coordination.k8s.io',
];

/** Seconds from the change of the package until each of them was seen; absent: it was not. */
export interface UpgradeTimeline {
  /** The new ProviderRevision exists. */
  readonly revision?: number;
  /** The new Deployment exists. */
  readonly deployment?: number;
  readonly pod?: number;
  readonly podScheduled?: number;
  readonly containerStarted?: number;
  /** The deletion of the old pod has begun. */
  readonly oldPodStops?: number;
  /** The old pod has released the Lease. */
  readonly leaseReleased?: number;
  /** The new pod holds the Lease. */
  readonly leads?: number;
}

/**
 * @param changedAt by `performance.now`
 * @param revision name of the new ProviderRevision, with which the names of its Deployment and pods begin
 * @param lease name of the provider's Lease
 */
export function upgradeTimeline(
  events: readonly RecordedEvent[],
  {
    changedAt,
    revision,
    lease,
  }: { readonly changedAt: number; readonly revision: string; readonly lease: string },
): UpgradeTimeline {
  const later = events.filter(({ at }) => at >= changedAt);
  const first = (kind: string, holds: (event: RecordedEvent) => boolean) => {
    const found = later.find((event) => event.object.kind === kind && holds(event));
    return found === undefined ? undefined : (found.at - changedAt) / 1000;
  };
  const isNew = ({ object }: RecordedEvent) => object.metadata.name.startsWith(revision);
  const holder = ({ object }: RecordedEvent) =>
    object.metadata.name === lease ? (object.spec as LeaseSpec).holderIdentity : undefined;
  return definedOf({
    revision: first('ProviderRevision', isNew),
    deployment: first('Deployment', isNew),
    pod: first('Pod', isNew),
    podScheduled: first('Pod', (event) => isNew(event) && podOf(event).spec?.nodeName !== undefined),
    containerStarted: first('Pod', (event) => {
      const { containerStatuses = [] } = podOf(event).status ?? {};
      return isNew(event) && containerStatuses.some(({ state }) => state?.running !== undefined);
    }),
    oldPodStops: first(
      'Pod',
      (event) => !isNew(event) && event.object.metadata.deletionTimestamp !== undefined,
    ),
    leaseReleased: first('Lease', (event) => holder(event) === ''),
    leads: first('Lease', (event) => holder(event)?.startsWith(revision) === true),
  });
}

interface LeaseSpec {
  readonly holderIdentity?: string;
}

interface Pod {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly containerStatuses?: readonly { readonly state?: { readonly running?: object } }[];
  };
}

const podOf = ({ object }: RecordedEvent): Pod => object as Pod;

const definedOf = (moments: Record<string, number | undefined>): UpgradeTimeline =>
  Object.fromEntries(Object.entries(moments).filter(([, seconds]) => seconds !== undefined));

/** One line, in the order of time: `revision 0.3, deployment 1.9, …`. */
export const describeTimeline = (timeline: UpgradeTimeline): string =>
  Object.entries(timeline)
    .sort(([, a], [, b]) => a - b)
    .map(([what, seconds]) => `${what} ${seconds.toFixed(1)}`)
    .join(', ');

/** Gardener as the states of a Runtime use it. */
import { type Seed, type Shoot, type ShootStatus, seeds, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  createSharedCalls,
  cutText,
  FencedError,
  findCause,
  jsonEqual,
  kindOf,
  messageOf,
  ProviderError,
  parseTimestamp,
  ThrottledError,
} from '../../../framework/base/index.ts';
import {
  type Cluster,
  type Informer,
  type Informers,
  isConflict,
  isForbidden,
  KubeApiError,
  type KubeClient,
  keyString,
  wasDeleted,
} from '../../../framework/kube/index.ts';

export interface Gardener {
  /** Optional: what fails there makes nothing else wait. */
  readonly cluster: Cluster;
  /** That of the cluster, within the limits for requests to Gardener. */
  readonly client: KubeClient;
  /** Without `garden-`. */
  readonly project: string;
}

/** Delays of a reconcile that failed, in ms: Gardener takes minutes for most that can be repaired. */
export const RETRY_DELAYS = { baseMs: 1000, maxMs: 300_000 };

/** The namespace of the project's Shoots and ConfigMaps. */
export const namespaceOf = ({ project }: Pick<Gardener, 'project'>): string => `garden-${project}`;

/** Why a cluster does not respond whose Shoot says so in its status. */
export const HIBERNATED = 'the Shoot is hibernated';

/** Gardener refuses longer names of project and Shoot together. */
const MAX_NAMES = 21;

/** Why Gardener refuses a Shoot of that name; undefined: not because of its length. */
export const namesProblem = ({ project }: Pick<Gardener, 'project'>, name: string): string | undefined =>
  project.length + name.length > MAX_NAMES
    ? `names of project ${project} and Shoot ${name} have together more than ${MAX_NAMES} characters`
    : undefined;

/** The Shoots of the project. All users share one informer. */
export const shootInformer = (informers: Informers, gardener: Pick<Gardener, 'project'>): Informer<Shoot> =>
  informers.of(shoots, { selection: { namespace: namespaceOf(gardener) }, transform: slimShoot });

export const shootKey = (gardener: Pick<Gardener, 'project'>, name: string): string =>
  keyString({ namespace: namespaceOf(gardener), name });

const MAX_ERRORS = 20;
const MAX_DESCRIPTION = 1024;
const MAX_CODE = 64;

/** Keeps of the status only what decides: thousands of Shoots are in memory, and texts of errors may have megabytes. */
export function slimShoot(shoot: Shoot): Shoot {
  const { managedFields: _, ...metadata } = shoot.metadata;
  const { status } = shoot;
  if (status === undefined) return { ...shoot, metadata };
  const { observedGeneration, lastOperation, lastErrors, technicalID, uid, gardener, hibernated } = status;
  const { certificateAuthorities } = status.credentials?.rotation ?? {};
  return {
    ...shoot,
    metadata,
    status: {
      technicalID,
      uid,
      gardener,
      hibernated,
      ...(certificateAuthorities === undefined
        ? {}
        : { credentials: { rotation: { certificateAuthorities } } }),
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      ...(lastOperation === undefined ? {} : { lastOperation: cutDescription(lastOperation) }),
      ...(lastErrors === undefined ? {} : { lastErrors: lastErrors.slice(0, MAX_ERRORS).map(cutError) }),
    },
  };
}

const cutDescription = <T extends { description: string }>(described: T): T => ({
  ...described,
  description: cutText(described.description, MAX_DESCRIPTION),
});

const cutError = (error: NonNullable<NonNullable<Shoot['status']>['lastErrors']>[number]) => ({
  ...cutDescription(error),
  ...(error.codes === undefined
    ? {}
    : { codes: error.codes.slice(0, MAX_ERRORS).map((code) => cutText(code, MAX_CODE)) }),
});

/** Regions of seeds. There are few of them and a region never changes, so each is requested once. */
export interface SeedRegions {
  /** @throws if Gardener does not give the seed */
  of(seed: string, call: { readonly signal: AbortSignal }): Promise<string | undefined>;
}

/** Seeds in memory, lest names in Shoots fill it. */
const MAX_SEEDS = 10_000;

export function createSeedRegions({ client }: Pick<Gardener, 'client'>): SeedRegions {
  const known = new Map<string, string | undefined>();
  // After a start all Runtimes ask at once. None of them waits for the deadline of another, or fails by it.
  const requests = createSharedCalls<string | undefined>({
    onAnswer: (name, region) => {
      if (known.size >= MAX_SEEDS) known.clear();
      known.set(name, region);
    },
  });
  return {
    of: async (name, { signal }) => {
      if (known.has(name)) return known.get(name);
      const request = async (shared: AbortSignal) => {
        const found = await ask(() => client.get(seeds, { name }, { signal: shared }));
        return found.spec?.provider.region;
      };
      return requests.join(name, request, signal);
    },
  };
}

/** Whether the Shoot has the extension, and it is not disabled. */
export const hasExtension = (shoot: Shoot | undefined, name: string): boolean =>
  shoot?.spec?.extensions?.some(({ type, disabled }) => type === name && disabled !== true) ?? false;

/** Phases in which the new authority signs certificates. The old one is trusted until the rotation is completed. */
const SIGNS = ['Prepared', 'Completing', 'Completed'];

/**
 * When the authority of the Shoot's certificates changed last, in ms since the epoch; 0: never. Kubeconfigs of before are not accepted
 * when the rotation is completed, and those of between trust the old authority as well.
 */
export function authorityChangedAt({ status }: Shoot): number {
  const rotation = status?.credentials?.rotation?.certificateAuthorities;
  if (rotation === undefined || !SIGNS.includes(rotation.phase)) return 0;
  const { lastInitiationTime, lastInitiationFinishedTime, lastCompletionTime } = rotation;
  const times = [lastInitiationTime, lastInitiationFinishedTime, lastCompletionTime];
  return Math.max(0, ...times.map((time) => parseTimestamp(time) ?? 0));
}

/**
 * What the error of a request means:
 *
 * - `transient`: 429, 5xx or no response, a response of a proxy, or not sent since Gardener does not respond. It makes no Runtime Failed
 * - `conflict`: the object was changed meanwhile
 * - `forbidden`: 403, also of admission for some invalid changes
 * - `refused`: any other response
 */
export type Refusal = 'transient' | 'conflict' | 'forbidden' | 'refused';

/** Undefined: it is not the error of a request, e.g. this process must not write. */
export function refusalOf(error: unknown): Refusal | undefined {
  const api = findCause(error, KubeApiError);
  if (api === undefined) {
    if (findCause(error, FencedError) !== undefined) return undefined;
    // No connection, no response in time, or not sent since Gardener does not respond.
    const { kind } = findCause(error, ProviderError) ?? {};
    return kind === 'transient' || findCause(error, ThrottledError) !== undefined ? 'transient' : undefined;
  }
  const isServed = api.status !== 429 && api.status < 500 && api.kind !== 'throttled';
  if (!isServed || api.isForeign || !api.fromApiServer) return 'transient';
  if (isConflict(error)) return 'conflict';
  return isForbidden(error) ? 'forbidden' : 'refused';
}

/** Whether only a change of what was asked, or of rights, helps. */
export const isLasting = (refusal: Refusal | undefined): boolean =>
  refusal === 'refused' || refusal === 'forbidden';

/** Whether an API server refused what was asked of it, so that only a change helps. */
export const isRefused = (error: unknown): boolean => isLasting(refusalOf(error));

/** The error of a request to Gardener. Kind and message are those of its cause. */
class GardenerRefusal extends ProviderError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause: unknown) {
    const retryAfterMs = findCause(cause, ProviderError)?.retryAfterMs;
    super(kindOf(cause), messageOf(cause), {
      cause,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    this.refusal = refusal;
  }
}

/** Sends a request to Gardener. @throws GardenerRefusal */
export async function ask<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal === undefined ? error : new GardenerRefusal(refusal, error);
  }
}

/** Of an error of `ask`; undefined for any other error, such as one of the management cluster. */
export const gardenerRefusal = (error: unknown): Refusal | undefined =>
  findCause(error, GardenerRefusal)?.refusal;

/** Whether Gardener schedules Shoots of the provider to the seed. */
function isUsableSeed(seed: Seed, provider: string): boolean {
  const { spec, status } = seed;
  const isTrue = (type: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  return (
    spec?.provider.type === provider &&
    !wasDeleted(seed) &&
    spec.settings?.scheduling?.visible === true &&
    status?.lastOperation !== undefined &&
    isTrue('GardenletReady') &&
    (spec.backup === undefined || isTrue('BackupBucketsReady'))
  );
}

/** The regions with usable seeds of the provider, each once, in the order of the seeds. */
export const usableRegions = (seeds: readonly Seed[], provider: string): string[] => [
  ...new Set(
    seeds.flatMap((seed) => (isUsableSeed(seed, provider) && seed.spec ? [seed.spec.provider.region] : [])),
  ),
];

// What the status of a Shoot says: whether Gardener's errors may pass by themselves, and whether a change is more than progress.

export type LastErrors = NonNullable<ShootStatus['lastErrors']>;

/**
 * Only a change of credentials or rights helps. Other codes that Gardener itself does not retry (quotas, rate limits,
 * dependencies, configuration, webhooks) end when the account of the provider changes, so they are retryable here.
 */
const TERMINAL = ['ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'];

/** The codes, each once, in the order in which they occur. */
export const codesOf = (errors: LastErrors | undefined): string[] => [
  ...new Set((errors ?? []).flatMap(({ codes }) => codes ?? [])),
];

/** Unknown codes, and errors without a code, are retryable. Without errors nothing says that a retry helps. */
export const isRetryable = (errors: LastErrors | undefined): boolean =>
  errors !== undefined && errors.length > 0 && !codesOf(errors).some((code) => TERMINAL.includes(code));

/** All descriptions, numbered: `1) First description 2) Second description `. */
export const describeErrors = (errors: LastErrors | undefined): string =>
  (errors ?? []).map(({ description }, index) => `${index + 1}) ${description} `).join('');

/** Whether what Gardener reports is about the newest version of the Shoot, and not about an earlier one. */
export const isObserved = ({ metadata, status }: Shoot): boolean =>
  status?.observedGeneration === undefined || status.observedGeneration >= (metadata.generation ?? 0);

/** Gardener reports its progress every few seconds, and no state depends on it. */
export function isMoreThanProgress(old: Shoot, shoot: Shoot): boolean {
  return !jsonEqual(withoutProgress(old), withoutProgress(shoot));
}

function withoutProgress({ metadata, status, ...shoot }: Shoot): object {
  const { resourceVersion: _, ...kept } = metadata;
  const { lastOperation, ...others } = status ?? {};
  const { progress: _p, lastUpdateTime: _t, ...operation } = lastOperation ?? {};
  return { ...shoot, metadata: kept, status: { ...others, operation } };
}

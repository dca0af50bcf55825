import { join, resolve } from 'node:path';
import { createLruCache } from '../../../../../framework/base/collections/lru-cache.ts';
import {
  compoundKey,
  createBackoff,
  createSharedCalls,
  type Deps,
  kindOf,
  messageOf,
  ThrottledError,
  wrap,
} from '../../../../../framework/base/index.ts';
import type { Connections } from '../../../../../framework/http/transport/connections.ts';
import type { Workspace } from '../../model/component.ts';
import { isOfNamespace } from '../../model/task.ts';
import { archiveRevision } from './archive-source.ts';
import { createFetchSlots, type FetchOwner } from './cache/fetch-slots.ts';
import { type CacheBounds, type CachedRevision, createRevisionCache } from './cache/revision-cache.ts';
import { readMarker } from './cache/target-folder.ts';
import { assertKymaLayout, assertWhole, firstChart, kymaChart } from './chart-folder.ts';
import {
  type ChartSource,
  defaultSourceLimits,
  type SourceLimits,
  type SourceRequest,
  shownUrl,
  sourceOf,
  type WantedRevision,
} from './chart-source.ts';
import { createGitToken, type GitToken, gitRevision, isCommit, noGitToken } from './git/git-source.ts';
import { ociRevision } from './oci-source.ts';
import { createSourceHttp } from './source-http.ts';
import type { UnpackJobs } from './unpack-jobs.ts';

export interface WorkspacesOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  /** The folder of fetched revisions, or of the one `local` version. */
  readonly storage: string;
  /** Refuses the addresses that users must not name. */
  readonly connections: Connections;
  readonly allowPrivateEndpoints: boolean;
  readonly unpackJobs: UnpackJobs;
  /** The repository of versions without a URL. Default that of Kyma. */
  readonly kymaRepository?: string;
  /** The variable GIT_CLONE_TOKEN. */
  readonly gitToken?: string | undefined;
  /** The variable GIT_CLONE_TOKEN_HOSTS. Default: the host of the repository of versions without a URL. */
  readonly gitTokenHosts?: string | undefined;
  readonly limits?: Partial<SourceLimits>;
  readonly bounds?: Partial<CacheBounds>;
  /** How long it is not asked again what a branch or tag names, in ms. Default 10 s. */
  readonly resolveEveryMs?: number;
}

/** A revision of a source on disk. */
interface FetchedSource extends Workspace {
  /** Whether it has the layout of a version of Kyma. */
  readonly isKyma: boolean;
  /** Paths below the folder that are not there. */
  readonly leftOut: readonly string[];
}

export interface Workspaces {
  /**
   * The files of a source, fetched if they are not there. Equal calls at the same time share one fetch.
   *
   * @throws SourceError, EndpointRefusedError, ThrottledError
   */
  open(request: SourceRequest, signal: AbortSignal): Promise<FetchedSource>;
  /** The folder of a version of Kyma, or of a source, without a chart. */
  openRoot(request: SourceRequest, signal: AbortSignal): Promise<Omit<FetchedSource, 'chart'>>;
}

const KYMA_REPOSITORY = 'https://github.com/kyma-project/kyma';
const defaultBounds: CacheBounds = {
  maxRevisions: 20,
  maxBytes: 2 * 1024 * 1024 * 1024,
  // Longer than the time of a task.
  keepUsedMs: 15 * 60_000,
};
/** The component whose archives get the token of Git. */
const TOKEN_COMPONENT = 'connectivity-proxy';

/** @throws InvalidConfigurationError for hosts of the token that cannot be read */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { clock, log, allowPrivateEndpoints, unpackJobs: jobs, resolveEveryMs = 10_000 } = options;
  const storage = resolve(options.storage);
  const kymaRepository = new URL(options.kymaRepository ?? KYMA_REPOSITORY);
  const gitToken = createGitToken({
    token: options.gitToken,
    hosts: options.gitTokenHosts,
    defaultOrigin: kymaRepository.origin,
  });
  const limits = { ...defaultSourceLimits, ...options.limits };
  const http = createSourceHttp(options);
  const slots = createFetchSlots({ clock, maxFetches: 4, fetchesPerHost: 3, fetchesPerTenant: 2 });
  const cache = createRevisionCache({
    clock,
    log,
    storage,
    limits,
    bounds: { ...defaultBounds, ...options.bounds },
    slots,
  });
  const resolutions = createResolutions({ clock, everyMs: resolveEveryMs });
  const backoff = createFailureBackoff({ clock });
  const calls = createSharedCalls<Omit<FetchedSource, 'chart'>>();

  const wanted = (
    source: Exclude<ChartSource, { kind: 'local' }>,
    component: string,
    {
      tenant,
      token,
      signal,
    }: { readonly tenant: string; readonly token: GitToken; readonly signal: AbortSignal },
  ) => {
    switch (source.kind) {
      case 'kyma':
      case 'git': {
        const git = { http, limits, token, jobs, tenant };
        return gitRevision({ ...source, name: source.kind === 'kyma' ? 'kyma' : component }, git, signal);
      }
      case 'oci': {
        const scheme = allowPrivateEndpoints && isLoopback(source.url) ? 'http' : 'https';
        return ociRevision({ ...source, name: component }, { http, scheme, jobs, tenant }, signal);
      }
      case 'archive': {
        const secret = component === TOKEN_COMPONENT ? token.for(source.url) : undefined;
        return archiveRevision({ ...source, name: component }, { http, token: secret, jobs });
      }
    }
  };

  const fetchSource = async (
    source: Exclude<ChartSource, { kind: 'local' }>,
    { component, version, tenant = '' }: SourceRequest,
    signal: AbortSignal,
  ): Promise<Omit<FetchedSource, 'chart'>> => {
    const owner: FetchOwner = { tenant, hostname: source.url.hostname };
    const isKyma = source.kind === 'kyma';
    const prepared = isKyma ? await preparedVersion(storage, version) : undefined;
    if (prepared !== undefined) return { ...prepared, isKyma, revision: version, leftOut: [] };
    // Its URLs name any repository of the hosts of the token; those of Kyma are the operator's.
    const token = isOfNamespace({ tenant }) && !isKyma ? noGitToken : gitToken;
    // What a URL names is the same for all that have the URL; it is asked for, and fetched, as the tenant that needs it.
    const access = token.for(source.url) === undefined ? '' : 'with the token';
    const key = compoundKey(source.url.href, version, component, access);
    const resolveNow = async () => wanted(source, component, { tenant, token, signal });
    const revision: WantedRevision = await resolutions.resolve(key, () =>
      isAsked(source) ? slots.run(owner, signal, resolveNow) : resolveNow(),
    );
    const { folder, facts }: CachedRevision = await cache
      .obtain(revision, owner, signal)
      .catch((error: unknown) => {
        resolutions.forget(key);
        throw error;
      });
    if (isKyma) await assertKymaLayout(folder, version);
    return { folder, isKyma, revision: facts.revision, leftOut: facts.leftOut };
  };

  const openRoot: Workspaces['openRoot'] = async (request, signal) => {
    const source = sourceOf(request, kymaRepository);
    if (source.kind === 'local') {
      await assertKymaLayout(storage, request.version);
      return { folder: storage, isKyma: true, revision: request.version, leftOut: [] };
    }
    const { version } = request;
    const component = source.kind === 'kyma' ? '' : request.component;
    // Each tenant waits for its own slots, and after its own failures.
    const key = compoundKey(source.url.href, version, component, request.tenant ?? '');
    const call = (shared: AbortSignal) =>
      backoff.run(key, () => fetchSource(source, { ...request, component }, shared), shared);
    return await calls.join(key, call, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw wrap(error, `cannot fetch ${[shownUrl(source.url), version].filter(Boolean).join(' ')}`);
    });
  };

  return {
    openRoot,
    open: async (request, signal) => {
      const root = await openRoot(request, signal);
      const chart = root.isKyma
        ? await kymaChart(root.folder, request.component, request.version)
        : await firstChart(root.folder, `the source of component ${request.component}`);
      assertWhole(root.folder, chart, root.leftOut);
      return { ...root, chart };
    },
  };
}

/** Whether the server is asked what the version names: neither for archives nor for a commit by its digits. */
const isAsked = (source: Exclude<ChartSource, { kind: 'local' }>): boolean =>
  source.kind !== 'archive' && !isCommit(source.version);

/** A folder with its marker that an operator, or the Go program, has prepared for a version. */
async function preparedVersion(storage: string, version: string): Promise<{ folder: string } | undefined> {
  if (version === '') return undefined;
  const folder = join(storage, version);
  const marker = await readMarker(folder);
  if (marker === undefined || marker.source !== undefined) return undefined;
  await assertKymaLayout(folder, version);
  return { folder };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Refuses calls of a key for a growing time after each failure, with the last failure in the message. */
interface FailureBackoff {
  /** @throws ThrottledError in the time after a failure */
  run<T>(key: string, call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Failure {
  readonly until: number;
  readonly message: string;
}

/** Memory for the failures of about a thousand sources. */
const MAX_BYTES = 1024 * 1024;
const BASE_MS = 1000;
const MAX_MS = 60_000;

function createFailureBackoff({ clock }: Pick<Deps, 'clock'>): FailureBackoff {
  const failures = createLruCache<string, Failure>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ message }) => 2 * message.length,
  });
  const counts = createLruCache<string, number>({ maxBytes: MAX_BYTES });
  const backoff = createBackoff({ baseMs: BASE_MS, maxMs: MAX_MS, counts });
  return {
    run: async (key, call, signal) => {
      const failure = failures.get(key);
      const waitMs = (failure?.until ?? 0) - clock.monotonic();
      if (failure !== undefined && waitMs > 0) throw new ThrottledError(failure.message, waitMs);
      try {
        const result = await call();
        backoff.forget(key);
        failures.delete(key);
        return result;
      } catch (error) {
        // An open circuit and a pause that a server wants have their own times.
        if (!signal.aborted && kindOf(error) !== 'throttled') {
          failures.set(key, { until: clock.monotonic() + backoff.next(key), message: messageOf(error) });
        }
        throw error;
      }
    },
  };
}

/** What branches and tags named a moment ago, so that the tasks of many clusters do not each ask the server. */
interface Resolutions {
  resolve(key: string, resolveNow: () => Promise<WantedRevision>): Promise<WantedRevision>;
  /** The revision could not be fetched: perhaps it is another one now. */
  forget(key: string): void;
}

/** Memory of some hundred sources. */
const MAX_RESOLUTIONS_BYTES = 512 * 1024;
const RESOLUTION_BYTES = 2000;

/** @param options.everyMs how long an answer is used */
function createResolutions({
  clock,
  everyMs,
}: Pick<Deps, 'clock'> & { readonly everyMs: number }): Resolutions {
  const known = createLruCache<string, { readonly until: number; readonly revision: WantedRevision }>({
    maxBytes: MAX_RESOLUTIONS_BYTES,
    bytesOf: () => RESOLUTION_BYTES,
  });
  return {
    resolve: async (key, resolveNow) => {
      const found = known.get(key);
      if (found !== undefined && clock.monotonic() < found.until) return found.revision;
      const revision = await resolveNow();
      known.set(key, { until: clock.monotonic() + everyMs, revision });
      return revision;
    },
    forget: (key) => {
      known.delete(key);
    },
  };
}

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { abandonable } from '../../../../../../framework/base/concurrency/abandonable.ts';
import {
  compoundKey,
  createSharedCalls,
  type Deps,
  valueAt,
  withDeadline,
} from '../../../../../../framework/base/index.ts';
import { type RevisionFacts, SourceError, type SourceLimits, type WantedRevision } from '../chart-source.ts';
import type { FetchOwner, FetchSlots } from './fetch-slots.ts';
import { MARKER, readMarker, touchMarker, writeMarker } from './target-folder.ts';

export interface CachedRevision {
  readonly folder: string;
  readonly facts: RevisionFacts;
}

interface RevisionCache {
  /** The complete folder of a revision; fetches it once, however many ask for it. Each of them waits for a slot of its own. */
  obtain(wanted: WantedRevision, owner: FetchOwner, signal: AbortSignal): Promise<CachedRevision>;
}

interface RevisionCacheOptions extends Pick<Deps, 'clock' | 'log'> {
  /** Created on demand. */
  readonly storage: string;
  readonly limits: SourceLimits;
  readonly bounds: CacheBounds;
  readonly slots: FetchSlots;
}

/** So much more than the bounds refuses fetches: all those revisions are in use. */
const HARD_FACTOR = 2;
/** So much refuses fetches of a tenant that uses all of it. */
const TENANT_FACTOR = 1.5;

/** How long a fetch of another tenant is awaited before the same is fetched once more, in ms: it may be slow on purpose. */
const MAX_WAIT_MS = 2000;

/** Attempts to give a revision its name while other processes do the same. */
const MAX_PUBLISH = 10;

const isTaken = (error: unknown): boolean => {
  const code = valueAt(error, ['code']);
  return code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR';
};

/** A folder for each revision. It is written under another name first, so that only complete ones have theirs. */
export function createRevisionCache(options: RevisionCacheOptions): RevisionCache {
  const { clock, log, storage, limits, bounds, slots } = options;
  const fetches = createSharedCalls<CachedRevision>();
  /** Fetches with a slot, by the name of the revision; the first of several tenants. */
  const underWay = new Map<string, { readonly tenant: string; readonly ended: Promise<void> }>();
  const shares = createTenantShares({ clock, bounds, factor: TENANT_FACTOR });

  const find = async ({ name, source, revision }: WantedRevision): Promise<CachedRevision | undefined> => {
    const folder = join(storage, name);
    const marker = await readMarker(folder);
    if (marker?.source !== source || marker.revision === undefined) return undefined;
    if (revision !== undefined && marker.revision !== revision) return undefined;
    await touchMarker(folder, clock.now());
    const { bytes = 0, files = 0, leftOut = [] } = marker;
    return { folder, facts: { source, revision: marker.revision, bytes, files, leftOut } };
  };

  const makeRoom = async () => {
    const left = await evict(storage, bounds, clock.now());
    if (left.revisions < HARD_FACTOR * bounds.maxRevisions && left.bytes < HARD_FACTOR * bounds.maxBytes)
      return;
    throw new SourceError('transient', `the cache of charts is full: ${left.revisions} revisions are in use`);
  };

  const fetch = async (
    wanted: WantedRevision,
    tenant: string,
    signal: AbortSignal,
  ): Promise<CachedRevision> => {
    await mkdir(storage, { recursive: true });
    await makeRoom();
    const work = join(storage, `${FETCHING}${randomUUID()}`);
    const [content, scratch] = [join(work, 'content'), join(work, 'scratch')];
    await mkdir(content, { recursive: true });
    await mkdir(scratch);
    try {
      const fetched = await wanted.fetch({ content, scratch, limits, tenant, signal });
      signal.throwIfAborted();
      const folder = join(storage, wanted.name);
      const facts = { ...fetched, source: wanted.source };
      await writeMarker(content, facts);
      const others = await publish(content, folder, wanted);
      if (others !== undefined) return others;
      log.info('charts fetched', {
        source: wanted.source,
        revision: facts.revision,
        bytes: facts.bytes,
        files: facts.files,
      });
      return { folder, facts };
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  };

  /**
   * Gives the content its name. Another process may have done so with the same revision meanwhile, and reads it: that one stays.
   *
   * @returns the revision of another process
   */
  const publish = async (
    content: string,
    folder: string,
    wanted: WantedRevision,
  ): Promise<CachedRevision | undefined> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await rename(content, folder);
        return undefined;
      } catch (error) {
        if (!isTaken(error) || attempt === MAX_PUBLISH) throw error;
        const found = await find(wanted);
        if (found !== undefined) return found;
        // Without a marker, or of another source.
        await removeRevision(storage, wanted.name);
      }
    }
  };

  const fetchInTime = async (
    wanted: WantedRevision,
    tenant: string,
    signal: AbortSignal,
  ): Promise<CachedRevision> => {
    const found = await find(wanted);
    if (found !== undefined) return found;
    using deadline = withDeadline(clock, limits.fetchTimeoutMs, `fetch of ${wanted.source}`, signal);
    return await fetch(wanted, tenant, deadline.signal);
  };

  const fetchAs = async (tenant: string, wanted: WantedRevision, signal: AbortSignal) => {
    shares.assertRoom(tenant);
    const ended = Promise.withResolvers<void>();
    const entry = underWay.get(wanted.name) ?? { tenant, ended: ended.promise };
    underWay.set(wanted.name, entry);
    try {
      // Not the fetch of another tenant, which may wait for a share that it has used up.
      const key = compoundKey(wanted.name, tenant);
      return await fetches.join(key, (shared) => fetchInTime(wanted, tenant, shared), signal);
    } finally {
      if (entry.ended === ended.promise) underWay.delete(wanted.name);
      ended.resolve();
    }
  };

  const fetchOfOther = (name: string, tenant: string) => {
    const entry = underWay.get(name);
    return entry?.tenant === tenant ? undefined : entry?.ended;
  };

  /** Waits, without a slot, for what another tenant fetches: most of it is there soon. */
  const awaitOther = async (name: string, tenant: string, signal: AbortSignal) => {
    const ended = fetchOfOther(name, tenant);
    if (ended === undefined) return;
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(MAX_WAIT_MS, late.resolve);
    try {
      await abandonable(Promise.race([ended, late.promise]), signal);
    } finally {
      cancel();
    }
  };

  return {
    obtain: async (wanted, owner, signal) => {
      const { name } = wanted;
      const { tenant } = owner;
      const fetchNow = () => fetchAs(tenant, wanted, signal);
      const fetchUnlessOther = async () =>
        fetchOfOther(name, tenant) === undefined ? await fetchNow() : undefined;
      let obtained = (await find(wanted)) ?? (await slots.run(owner, signal, fetchUnlessOther));
      if (obtained === undefined) {
        await awaitOther(name, tenant, signal);
        obtained = (await find(wanted)) ?? (await slots.run(owner, signal, fetchNow));
      }
      shares.used(tenant, { name, bytes: obtained.facts.bytes });
      return obtained;
    },
  };
}

/** Which revisions of the cache each tenant has used within `keepUsedMs`: they are not removed meanwhile. */
interface TenantShares {
  used(tenant: string, revision: { readonly name: string; readonly bytes: number }): void;
  /** @throws SourceError if the tenant has its share; an empty one is the program itself, which has no share */
  assertRoom(tenant: string): void;
}

interface TenantSharesOptions extends Pick<Deps, 'clock'> {
  readonly bounds: CacheBounds;
  /** Times the bounds: what one tenant may use. Less than what is refused, so that others have room. */
  readonly factor: number;
}

interface Use {
  readonly at: number;
  readonly bytes: number;
}

function createTenantShares({ clock, bounds, factor }: TenantSharesOptions): TenantShares {
  const tenants = new Map<string, Map<string, Use>>();
  const forgetOld = () => {
    const oldest = clock.monotonic() - bounds.keepUsedMs;
    for (const [tenant, uses] of tenants) {
      for (const [name, { at }] of uses) if (at < oldest) uses.delete(name);
      if (uses.size === 0) tenants.delete(tenant);
    }
  };
  return {
    used: (tenant, { name, bytes }) => {
      const uses = tenants.get(tenant) ?? new Map<string, Use>();
      tenants.set(tenant, uses);
      uses.set(name, { at: clock.monotonic(), bytes });
    },
    assertRoom: (tenant) => {
      forgetOld();
      if (tenant === '') return;
      const uses = [...(tenants.get(tenant)?.values() ?? [])];
      const bytes = uses.reduce((sum, use) => sum + use.bytes, 0);
      if (uses.length < factor * bounds.maxRevisions && bytes < factor * bounds.maxBytes) return;
      throw new SourceError(
        'transient',
        `the share of the tenant in the cache of charts is full: ${uses.length} revisions are in use`,
      );
    },
  };
}

export interface CacheBounds {
  readonly maxRevisions: number;
  readonly maxBytes: number;
  /** A revision that was used within this time stays, in ms: an action may still read it. */
  readonly keepUsedMs: number;
}

/** Folders of fetches that have not ended. */
const FETCHING = '.fetching-';
/** An interrupted fetch of any process ended before that, in ms. */
const MAX_FETCH_AGE_MS = 60 * 60_000;
/** Names of revisions begin with a part of a commit or digest. Other folders are those of users. */
const revisionName = /^[0-9a-f]{8,64}-/;

interface KeptRevision {
  readonly name: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/**
 * Removes the revisions that were not used for the longest time, beyond the bounds, and what interrupted fetches left.
 *
 * @returns what is left
 */
async function evict(
  storage: string,
  bounds: CacheBounds,
  nowMs: number,
): Promise<{ readonly revisions: number; readonly bytes: number }> {
  const names = await readdir(storage);
  await Promise.all(
    names
      .filter((name) => name.startsWith(FETCHING))
      .map((name) => removeInterrupted(join(storage, name), nowMs)),
  );
  const known = await Promise.all(
    names.filter((name) => revisionName.test(name)).map((name) => keptRevision(storage, name)),
  );
  const kept = known.filter((revision) => revision !== undefined).sort((a, b) => a.usedAt - b.usedAt);
  let revisions = kept.length;
  let bytes = kept.reduce((sum, revision) => sum + revision.bytes, 0);
  for (const revision of kept) {
    if (revisions <= bounds.maxRevisions && bytes <= bounds.maxBytes) break;
    if (nowMs - revision.usedAt < bounds.keepUsedMs) break;
    await removeRevision(storage, revision.name);
    revisions--;
    bytes -= revision.bytes;
  }
  return { revisions, bytes };
}

/** Removes a folder at once: it does not look complete while its files are being removed. */
async function removeRevision(storage: string, name: string): Promise<void> {
  const removed = join(storage, `${FETCHING}${randomUUID()}`);
  await rename(join(storage, name), removed).catch(() => undefined);
  await rm(removed, { recursive: true, force: true });
}

async function keptRevision(storage: string, name: string): Promise<KeptRevision | undefined> {
  const folder = join(storage, name);
  const marker = await readMarker(folder);
  if (marker?.source === undefined) return undefined;
  const found = await stat(join(folder, MARKER)).catch(() => undefined);
  return found && { name, bytes: marker.bytes ?? 0, usedAt: found.mtimeMs };
}

async function removeInterrupted(folder: string, nowMs: number): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined || nowMs - found.mtimeMs < MAX_FETCH_AGE_MS) return;
  await rm(folder, { recursive: true, force: true });
}

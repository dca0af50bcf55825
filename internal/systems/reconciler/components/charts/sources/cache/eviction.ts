import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MARKER, readMarker } from './marker.ts';

export interface CacheBounds {
  readonly maxRevisions: number;
  readonly maxBytes: number;
  /** A revision that was used within this time stays, in ms: an action may still read it. */
  readonly keepUsedMs: number;
}

/** Folders of fetches that have not ended. */
export const FETCHING = '.fetching-';
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
export async function evict(
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
export async function removeRevision(storage: string, name: string): Promise<void> {
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

import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { valueAt } from '../../../../../../framework/base/index.ts';

import type { RevisionFacts } from '../chart-source.ts';

/** The file that shows that a folder of the cache is complete; it is written before the folder has its name. */
export const MARKER = 'workspace-ready.yaml';

/** The facts without `source` are undefined for markers of other programs. */
export type Marker = Partial<RevisionFacts>;

const MAX_BYTES = 1024 * 1024;

/** Undefined if there is no marker: the folder is not complete. */
export async function readMarker(folder: string): Promise<Marker | undefined> {
  const text = await readFile(join(folder, MARKER), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const value: unknown = text.length > MAX_BYTES ? undefined : parseDocument(text).toJS({ maxAliasCount: 0 });
  const [source, revision] = ['source', 'revision'].map((field) => valueAt(value, [field]));
  const [bytes, files] = ['bytes', 'files'].map((field) => valueAt(value, [field]));
  const leftOut = valueAt(value, ['leftOut']);
  return {
    ...(typeof source === 'string' && { source }),
    ...(typeof revision === 'string' && { revision }),
    ...(typeof bytes === 'number' && { bytes }),
    ...(typeof files === 'number' && { files }),
    leftOut: Array.isArray(leftOut) ? leftOut.filter((path) => typeof path === 'string') : [],
  };
}

export async function writeMarker(folder: string, facts: RevisionFacts): Promise<void> {
  await writeFile(join(folder, MARKER), stringify(facts));
}

/** Sets the time of the last use, by which old revisions are removed. */
export async function touchMarker(folder: string, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  // The folder may be read-only.
  await utimes(join(folder, MARKER), now, now).catch(() => undefined);
}

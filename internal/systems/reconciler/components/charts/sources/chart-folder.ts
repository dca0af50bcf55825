import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { refused, SourceError } from './chart-source.ts';

const CHART_FILE = 'Chart.yaml';
/** Folders that are searched for a chart. */
const MAX_FOLDERS = 5000;

/** The folders that a version of Kyma has. */
export const kymaFolders = {
  charts: 'resources',
  crds: join('installation', 'resources', 'crds'),
} as const;

/** @throws SourceError if `folder` is not in the layout of a version of Kyma */
export async function assertKymaLayout(folder: string, version: string): Promise<void> {
  for (const part of Object.values(kymaFolders)) {
    if (await isFolder(join(folder, part))) continue;
    throw new SourceError('not-found', `version ${version} has no folder ${part}`);
  }
}

/** @throws SourceError of kind `not-found` */
export async function kymaChart(folder: string, component: string, version: string): Promise<string> {
  const chart = join(folder, kymaFolders.charts, component);
  if (await isFile(join(chart, CHART_FILE))) return chart;
  throw new SourceError('not-found', `version ${version} has no chart ${kymaFolders.charts}/${component}`);
}

/**
 * The first folder with a `Chart.yaml`, in the order of names, a folder before its own folders.
 *
 * @throws SourceError of kind `not-found`
 */
export async function firstChart(folder: string, source: string): Promise<string> {
  const waiting = [folder];
  for (let searched = 0; ; searched++) {
    const next = waiting.shift();
    if (next === undefined) throw new SourceError('not-found', `${source} has no ${CHART_FILE}`);
    if (searched === MAX_FOLDERS)
      throw refused(`${source} has no ${CHART_FILE} in its first ${MAX_FOLDERS} folders`);
    const entries = await readdir(next, { withFileTypes: true });
    if (entries.some((entry) => entry.name === CHART_FILE && entry.isFile())) return next;
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(next, name));
    waiting.unshift(...folders.sort());
  }
}

/**
 * Refuses a folder of which a part was left out, since it would render to something else.
 *
 * @param leftOut paths below `root`
 * @throws SourceError of kind `terminal`
 */
export function assertWhole(root: string, folder: string, leftOut: readonly string[]): void {
  const below = relative(root, folder);
  const missing = leftOut.find(
    (path) => below === '' || path === below || path.startsWith(`${below}/`) || below.startsWith(`${path}/`),
  );
  if (missing !== undefined)
    throw refused(`${missing} is a symbolic link or a submodule, which charts must not have`);
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

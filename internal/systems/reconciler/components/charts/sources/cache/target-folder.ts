import { mkdir, open, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { valueAt } from '../../../../../../framework/base/index.ts';
import { type RevisionFacts, refused, type SourceLimits, type TargetFolder } from '../chart-source.ts';

/** @param root exists and is empty; nobody else writes there */
export function createTargetFolder(
  root: string,
  limits: Pick<SourceLimits, 'maxUnpackedBytes' | 'maxFileBytes' | 'maxFiles'>,
): TargetFolder {
  const folders = new Set<string>();
  let files = 0;
  let bytes = 0;

  const count = () => {
    if (++files > limits.maxFiles)
      throw refused(`the source has more than ${limits.maxFiles} files and folders`);
  };
  const addFolders = async (segments: readonly string[]) => {
    for (let depth = 1; depth <= segments.length; depth++) {
      const path = segments.slice(0, depth).join('/');
      if (folders.has(path)) continue;
      count();
      await mkdir(join(root, path)).catch((error: unknown) => {
        throw refusalOfConflict(error, path);
      });
      folders.add(path);
    }
  };

  return {
    get files() {
      return files;
    },
    get bytes() {
      return bytes;
    },
    addFolder: (path) => addFolders(safeSegments(path)),
    addFile: async (path, content) => {
      const segments = safeSegments(path);
      if (segments.length === 0) throw refused(`a file has the path ${JSON.stringify(path)}`);
      // The marker is written by the cache alone.
      if (segments.length === 1 && segments[0] === MARKER) {
        for await (const _ of content);
        return;
      }
      await addFolders(segments.slice(0, -1));
      count();
      // `wx` follows no link and replaces no file.
      const file = await open(join(root, ...segments), 'wx', 0o644).catch((error: unknown) => {
        throw refusalOfConflict(error, path);
      });
      try {
        let size = 0;
        for await (const chunk of content) {
          size += chunk.length;
          bytes += chunk.length;
          if (size > limits.maxFileBytes) {
            throw refused(`the file ${path} is larger than ${limits.maxFileBytes} bytes`);
          }
          if (bytes > limits.maxUnpackedBytes) {
            throw refused(`the source has more than ${limits.maxUnpackedBytes} bytes, unpacked`);
          }
          await file.writeFile(chunk);
        }
      } finally {
        await file.close();
      }
    },
  };
}

function refusalOfConflict(error: unknown, path: string): unknown {
  const code = valueAt(error, ['code']);
  const conflicts = ['EEXIST', 'ENOTDIR', 'EISDIR'];
  return typeof code === 'string' && conflicts.includes(code)
    ? refused(`the path ${path} is there twice`)
    : error;
}

/** In characters; PATH_MAX of Linux is 4096, with the storage folder before it. */
const MAX_PATH = 1024;
/** In bytes, NAME_MAX of Linux. */
const MAX_NAME = 255;
const MAX_DEPTH = 64;

/**
 * The segments of a path from an archive or a Git tree, which stays below its folder.
 *
 * @throws SourceError for absolute paths, `..`, backslashes, control characters, and names that are too long
 */
function safeSegments(path: string): readonly string[] {
  const shown = JSON.stringify(path.slice(0, 200));
  if (path.length > MAX_PATH) throw refused(`the path ${shown}… has more than ${MAX_PATH} characters`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refused(`the path ${shown} is absolute`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(path))
    throw refused(`the path ${shown} has a backslash or control character`);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw refused(`the path ${shown} leads out of its folder`);
  if (segments.length > MAX_DEPTH) throw refused(`the path ${shown} is deeper than ${MAX_DEPTH} folders`);
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME)) {
    throw refused(`the path ${shown} has a name of more than ${MAX_NAME} bytes`);
  }
  return segments;
}

/** The file that shows that a folder of the cache is complete; it is written before the folder has its name. */
export const MARKER = 'workspace-ready.yaml';

/** The facts without `source` are undefined for markers of other programs. */
type Marker = Partial<RevisionFacts>;

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

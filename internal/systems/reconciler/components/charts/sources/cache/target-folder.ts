import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { valueAt } from '../../../../../../framework/base/json/json-field.ts';
import type { SourceLimits } from '../model/limits.ts';
import type { TargetFolder } from '../model/revision.ts';
import { refused } from '../model/source-error.ts';
import { MARKER } from './marker.ts';
import { safeSegments } from './safe-path.ts';

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

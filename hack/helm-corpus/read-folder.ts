import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ChartFile } from '../../internal/templates/helm/render-request.ts';

/** The files of a chart in a folder. */
export async function readFolder(folder: string): Promise<ChartFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { name: relative(folder, path), data: await readFile(path) };
      }),
  );
}

import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChartFile } from '../../../../../templates/helm/index.ts';
import { refused } from '../sources/model/source-error.ts';

/** Limits of one chart with its subcharts. Helm's own are 100 MB, and 5 MB for a file. */
export interface ChartLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

const defaultChartLimits: ChartLimits = { maxBytes: 32 * 1024 * 1024, maxFiles: 5000 };

/**
 * Reads all files below a folder, in the order of their names.
 *
 * @throws SourceError for links, special files, and beyond a limit
 */
export async function readChartFiles(
  folder: string,
  { maxBytes, maxFiles }: ChartLimits = defaultChartLimits,
): Promise<readonly ChartFile[]> {
  const files: ChartFile[] = [];
  let bytes = 0;
  const read = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        await read(name);
        continue;
      }
      if (!entry.isFile()) throw refused(`the chart has a link or special file: ${name}`);
      if (files.length === maxFiles) throw refused(`the chart has more than ${maxFiles} files`);
      bytes += (await lstat(join(folder, name))).size;
      if (bytes > maxBytes) throw refused(`the chart is larger than ${maxBytes} bytes`);
      files.push({ name, data: await readWhole(join(folder, name), maxBytes) });
    }
  };
  await read('');
  return files;
}

async function readWhole(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    // The file may have grown since its size was counted.
    if (size > maxBytes) throw refused(`the chart is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

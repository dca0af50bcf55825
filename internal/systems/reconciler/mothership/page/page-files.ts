import { readFile } from 'node:fs/promises';

/** A file of the page. */
export interface PageFile {
  readonly contentType: string;
  readonly body: string;
}

const FILES = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/**
 * The files that the build writes beside the code. Sources that are run without a build have no page: its script is
 * TypeScript for browsers.
 *
 * @returns files by name; undefined if there are none
 */
export async function readPageFiles(
  folder = import.meta.dirname,
): Promise<ReadonlyMap<string, PageFile> | undefined> {
  const read = async ([name, contentType]: [string, string]) =>
    [name, { contentType, body: await readFile(`${folder}/${name}`, 'utf8') }] as const;
  try {
    return new Map(await Promise.all(Object.entries(FILES).map(read)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kind, mergeVersions } from './kinds.ts';
import { readSource } from './read-source.ts';
import { fail, parseStrict, recordOf, stringOf } from './strict-yaml.ts';

/** All kinds that have a source under `root`. */
export async function readKinds(root: string): Promise<Kind[]> {
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const sources = await Promise.all(
    (await filesAt(root, 'apis/*/*/*.yaml')).map(async (path) => readSource(path, await read(path))),
  );
  const groups = await Promise.all(
    (await filesAt(root, 'apis/*/group.yaml')).map(async (path) => {
      const group = path.split('/')[1] ?? '';
      const isEmpty = sources.every(([source]) => source?.file.split('/')[1] !== group);
      return [group, readFolder(path, await read(path), isEmpty)] as const;
    }),
  );
  return mergeVersions(sources.flat(), new Map(groups));
}

/** Paths relative to `root`, with `/`, sorted. */
export async function filesAt(root: string, pattern: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(pattern, { cwd: root })) found.push(path.replaceAll('\\', '/'));
  return found.sort();
}

/** `apis/<group>/group.yaml` states the folder of the group's CRDs. */
function readFolder(file: string, text: string, isEmpty: boolean): string {
  const root = parseStrict(file, text);
  if (isEmpty) fail(root, 'no kind has its source in this folder');
  const checked = (crds: string) => (/^package(\/[a-z0-9-]+)*\/crds$/.test(crds) ? crds : undefined);
  return recordOf(
    root,
    { crds: (place) => checked(stringOf(place)) ?? fail(place, 'must be a folder package/…/crds') },
    {},
  ).crds;
}

import { glob, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Project } from '../project.ts';
import { type Kind, mergeVersions } from './kinds.ts';
import { insertOpenapiSchemas } from './openapi-schemas.ts';
import { type ProviderConfigKinds, readProviderConfigs } from './provider-configs.ts';
import { readSource } from './read-source.ts';
import { fail, parseStrict, recordOf, stringOf } from './strict-yaml.ts';

export interface Kinds {
  /** Those with a source of their own. */
  readonly kinds: readonly Kind[];
  /** Those of groups that state `providerConfigs`. */
  readonly providerConfigs: readonly ProviderConfigKinds[];
}

/** All kinds that have a source in the project. Throws SourceError. */
export async function readKinds({ root, apis, crds, sources: given = new Map() }: Project): Promise<Kinds> {
  const read = async (path: string) => given.get(path) ?? (await readFile(join(root, path), 'utf8'));
  const at = async (pattern: string) => {
    const own = [...given.keys()].filter((path) => posix.matchesGlob(path, pattern));
    return [...new Set([...(await filesAt(root, pattern)), ...own])].sort();
  };
  const sources = await Promise.all(
    (await at(`${apis}/*/*/*.yaml`)).map(async (path) => {
      const versions = readSource(path, await read(path));
      return Promise.all(versions.map((source) => insertOpenapiSchemas(source, read)));
    }),
  );
  const isEmpty = (group: string) => sources.every(([source]) => source?.file.split('/').at(-3) !== group);
  const groups = await Promise.all(
    (await at(`${apis}/*/group.yaml`)).map(async (path) =>
      readGroup(path, await read(path), { crds, isEmpty }),
    ),
  );
  return {
    kinds: mergeVersions(sources.flat(), new Map(groups.map(({ group, folder }) => [group, folder])), crds),
    providerConfigs: groups.flatMap(({ providerConfigs }) => providerConfigs ?? []),
  };
}

/** Paths relative to `root`, with `/`, sorted. */
export async function filesAt(root: string, pattern: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(pattern, { cwd: root })) found.push(path.replaceAll('\\', '/'));
  return found.sort();
}

interface Group {
  readonly group: string;
  /** Of its CRDs. */
  readonly folder: string;
  readonly providerConfigs?: ProviderConfigKinds;
}

/** `apis/<group>/group.yaml` states what belongs to no single kind. */
function readGroup(
  file: string,
  text: string,
  { crds, isEmpty }: { readonly crds: string; readonly isEmpty: (group: string) => boolean },
): Group {
  const group = file.split('/').at(-2) ?? '';
  const top = crds.split('/', 1)[0] ?? crds;
  const root = parseStrict(file, text);
  const { crds: folder = crds, providerConfigs: place } = recordOf(
    root,
    {},
    {
      crds: (at) => {
        const path = stringOf(at);
        const isFolder = path.startsWith(top) && /^(\/[a-z0-9-]+)*\/crds$/.test(path.slice(top.length));
        return isFolder ? path : fail(at, `must be a folder ${top}/…/crds`);
      },
      providerConfigs: (at) => at,
    },
  );
  if (place !== undefined) {
    return { group, folder, providerConfigs: readProviderConfigs(place, { group, folder }) };
  }
  return isEmpty(group) ? fail(root, 'no kind has its source in this folder') : { group, folder };
}

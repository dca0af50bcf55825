/**
 * What each version left behind: its CRDs, the objects as its API server stored them, and the mappings in HANA Cloud.
 * Every later version must work with them. `make record-stored-state` adds those of the version in package.json.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { Condition } from '../../internal/framework/kube/object/condition.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { Crd } from '../environment/install-crds.ts';
import type { Mapping } from '../simulators/hana-cloud/store.ts';

export interface StoredState {
  readonly crds: readonly Crd[];
  /** Everything of the provider's groups, byte for byte what etcd had, uid and managed fields included. */
  readonly objects: readonly StoredObject[];
  /** By instance. An instance without mappings is known all the same. */
  readonly mappings: Readonly<Record<string, readonly Mapping[]>>;
}

export interface StoredObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const folder = new URL('stored/', import.meta.url);
const files = (version: string) => {
  const file = (name: string) => new URL(`v${version}/${name}.yaml`, folder);
  return { crds: file('crds'), objects: file('objects'), mappings: file('hana-cloud') };
};

/** Without the `v`; in no particular order. */
export async function recordedVersions(): Promise<string[]> {
  return (await readdir(folder)).map((name) => name.replace(/^v/, ''));
}

/** Of package.json. */
export async function currentVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

export async function readStoredState(version: string): Promise<StoredState> {
  const { crds, objects, mappings } = files(version);
  const text = (file: URL) => readFile(file, 'utf8');
  const documents = async <T>(file: URL): Promise<T[]> =>
    parseAllDocuments(await text(file)).map((document): T => {
      for (const error of document.errors) throw error;
      return document.toJS();
    });
  return {
    crds: await documents(crds),
    objects: await documents(objects),
    mappings: parse(await text(mappings)),
  };
}

export async function writeStoredState(version: string, state: StoredState): Promise<void> {
  const { crds, objects, mappings } = files(version);
  await mkdir(new URL('.', crds), { recursive: true });
  const comment = '# Recorded by `make record-stored-state`. Not to be edited: this is what users have.\n';
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  const yaml = (all: readonly unknown[]) => comment + all.map((one) => stringify(one, options)).join('---\n');
  await writeFile(crds, yaml(state.crds));
  await writeFile(objects, yaml(state.objects));
  await writeFile(mappings, yaml([state.mappings]));
}

/** The conditions of each managed resource, by kind and name. */
export function conditionTexts({ objects }: StoredState): Record<string, string[]> {
  const reported = objects.flatMap(({ kind, metadata, status }) =>
    status?.conditions === undefined
      ? []
      : [
          [
            `${kind} ${[metadata.namespace, metadata.name].join('/')}`,
            status.conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).sort(),
          ] as const,
        ],
  );
  return Object.fromEntries(reported.sort(([a], [b]) => a.localeCompare(b)));
}

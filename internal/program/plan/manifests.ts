import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, LineCounter } from 'yaml';
import { ProviderError, valueAt } from '../../framework/base/index.ts';
import { parseKubernetesYaml } from '../../framework/base/text/kubernetes-yaml.ts';
import type { KubeObject } from '../../framework/kube/index.ts';

import { cannotRead, readText, STDIN } from '../../framework/module/commands/read-text.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';

/** An object of a manifest. Only apiVersion, kind and metadata are validated. */
export interface Manifest {
  readonly object: KubeObject;
  /** File and first line of the document: `mappings.yaml:12`. */
  readonly source: string;
}

/**
 * Reads manifests like `kubectl apply -f`: files with YAML or JSON documents, the files of a folder, or standard input
 * for `-`. Lists are split into their items. Errors have file and line but never content, which may be a Secret.
 */
export async function readManifests(
  paths: readonly string[],
  stdin: ProcessLike['stdin'],
): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path)) {
      const text = await readText(file, stdin);
      manifests.push(...parseManifests(text, file === STDIN ? 'stdin' : file));
    }
  }
  return manifests;
}

async function filesOf(path: string): Promise<string[]> {
  if (path === STDIN) return [path];
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path);
    return names
      .filter((name) => /\.(ya?ml|json)$/.test(name))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** @param name file name, for messages */
export function parseManifests(text: string, name: string): Manifest[] {
  const lines = new LineCounter();
  const documents = parseKubernetesYaml(text, { lineCounter: lines });
  return [...documents].flatMap((document) => {
    const at = (offset: number) => `${name}:${lines.linePos(offset).line}`;
    const [mistake] = document.errors;
    if (mistake !== undefined) {
      throw new ProviderError(
        'terminal',
        `cannot read ${at(mistake.pos[0])}: it is not valid YAML (${mistake.code})`,
      );
    }
    const start = document.contents?.range?.[0];
    if (start === undefined || document.contents === null) return [];
    const value = contentOf(document, at(start));
    return value === null ? [] : objectsIn(value, at(start));
  });
}

/** The error of the library quotes the alias, which may be a password that was not put in quotes. */
function contentOf(document: Pick<Document, 'toJS'>, source: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new ProviderError(
      'terminal',
      `cannot read ${source}: it has an alias without an anchor, or too many aliases or levels`,
    );
  }
}

function objectsIn(value: unknown, source: string): Manifest[] {
  const items = valueAt(value, ['items']);
  const kind = valueAt(value, ['kind']);
  if (Array.isArray(items) && typeof kind === 'string' && kind.endsWith('List')) {
    return items.flatMap((item) => objectsIn(item, source));
  }
  if (!isKubeObject(value)) {
    throw new ProviderError(
      'terminal',
      `cannot read ${source}: it is no Kubernetes object: apiVersion, kind or metadata is missing`,
    );
  }
  return [{ object: value, source }];
}

function isKubeObject(value: unknown): value is KubeObject {
  const metadata = valueAt(value, ['metadata']);
  return (
    typeof valueAt(value, ['apiVersion']) === 'string' &&
    typeof valueAt(value, ['kind']) === 'string' &&
    typeof metadata === 'object' &&
    metadata !== null
  );
}

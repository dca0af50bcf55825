import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crdPath, crdYaml } from './crd.ts';
import { kindTypes, kindTypesPath } from './kind-types.ts';
import { openapiTypes } from './openapi-types.ts';
import type { Outputs } from './outputs.ts';
import { readSource } from './read-source.ts';
import { referencePage, referencePagePath } from './reference-page.ts';
import { schemasModule, schemasPath } from './schemas-module.ts';
import type { Form, Source } from './source.ts';
import { SourceError } from './source-error.ts';

const start = { line: 1, col: 1 };

/**
 * Everything that is generated, from the sources under `root`, in memory. The same sources always give the same
 * text: `--check` rests on it.
 */
export async function generate(root: string): Promise<Outputs> {
  const outputs = new Map<string, string>();
  const put = (path: string, source: string, text: string) => {
    if (outputs.has(path))
      throw new SourceError(source, start, `${path} is generated from another source already`);
    outputs.set(path, text);
  };
  const kinds: { source: Source; form: Form }[] = [];
  for (const path of await sources(root, 'apis/*/*/*.yaml')) {
    const source = readSource(path, await readFile(join(root, path), 'utf8'));
    for (const form of source.forms) {
      // A form that is not emitted is built all the same: what is wrong with it shows now.
      const yaml = crdYaml(source, form);
      if (!form.emit) continue;
      kinds.push({ source, form });
      put(crdPath(form), path, yaml);
      put(kindTypesPath(source, form), path, await kindTypes(source, form));
      put(referencePagePath(source, form), path, referencePage(source, form));
    }
  }
  if (kinds.length > 0) put(schemasPath, 'apis', schemasModule(kinds));
  for (const source of await sources(root, 'internal/clients/*/openapi.yaml')) {
    put(source.replace(/\.yaml$/, '.gen.ts'), source, await openapiTypes(join(root, source), source));
  }
  return outputs;
}

async function sources(root: string, pattern: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(pattern, { cwd: root })) found.push(path.replaceAll('\\', '/'));
  return found.sort();
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crdPath, crdYaml } from './crds/crd.ts';
import { webhookConfigurations } from './crds/webhooks.ts';
import type { Outputs } from './outputs.ts';
import { referencePage, referencePagePath } from './pages/reference-page.ts';
import { filesAt, readKinds } from './source/read-kinds.ts';
import type { Form, Source } from './source/source.ts';
import { SourceError } from './source/source-error.ts';
import { kindTypes, kindTypesPath } from './types/kind-types.ts';
import { openapiTypes } from './types/openapi-types.ts';
import { schemasModule, schemasPath } from './types/schemas-module.ts';

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
  const kinds = await readKinds(root);
  const emitted: { source: Source; form: Form }[] = [];
  for (const kind of kinds) {
    for (const form of kind.stored.forms) {
      // A form that is not emitted is built all the same, so that its errors show now.
      const yaml = crdYaml(kind, form);
      if (!form.emit) continue;
      put(crdPath(kind, form), kind.stored.file, yaml);
      for (const source of kind.versions) {
        emitted.push({ source, form });
        put(kindTypesPath(source, form), source.file, await kindTypes(source, form));
        put(referencePagePath(kind, source, form), source.file, referencePage(kind, source, form));
      }
    }
  }
  if (emitted.some(({ source }) => source.managed)) put(schemasPath, 'apis', schemasModule(emitted));
  for (const file of await filesAt(root, 'apis/*/webhooks.yaml')) {
    const { path, yaml } = webhookConfigurations(file, await readFile(join(root, file), 'utf8'), kinds);
    put(path, file, yaml);
  }
  for (const path of await filesAt(root, 'internal/clients/*/openapi.yaml')) {
    put(path.replace(/\.yaml$/, '.gen.ts'), path, await openapiTypes(join(root, path), path));
  }
  return outputs;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crdPath, crdYaml } from './crds/crd.ts';
import { webhookConfigurations } from './crds/webhooks.ts';
import type { Put } from './outputs.ts';
import type { Project } from './project.ts';
import type { Kind } from './source/kinds.ts';
import { filesAt, readKinds } from './source/read-kinds.ts';
import { kindReferences } from './types/kind-references.ts';
import { kindTypes, kindTypesPath, typesModule } from './types/kind-types.ts';
import { providerConfigsModule, providerConfigsPath } from './types/provider-configs-module.ts';

/**
 * CRDs, types and webhook configurations of all kinds that have a source in the project. The same sources always give
 * the same text, as `--check` requires.
 *
 * @throws SourceError
 */
export async function generateKinds(project: Project, put: Put): Promise<readonly Kind[]> {
  const { root, apis, objectMeta } = project;
  const { kinds, providerConfigs } = await readKinds(project);
  const all = [...kinds, ...providerConfigs.flatMap(({ config, usage }) => [config, usage])];
  for (const kind of all) {
    for (const form of kind.stored.forms) {
      // A form that is not emitted is built all the same, so that its errors show now.
      const yaml = crdYaml(kind, form);
      if (form.emit) put(crdPath(kind, form), filesOf(kind), yaml);
    }
  }
  for (const { versions } of kinds) {
    for (const source of versions) {
      const forms = source.forms.filter(({ emit }) => emit);
      if (forms.length === 0) continue;
      put(
        kindTypesPath(source),
        source.file,
        typesModule(objectMeta, [kindTypes(source, forms), kindReferences(source, kinds)]),
      );
    }
  }
  for (const group of providerConfigs) {
    put(providerConfigsPath(group), group.config.stored.file, providerConfigsModule(objectMeta, group));
  }
  for (const file of await filesAt(root, `${apis}/*/webhooks.yaml`)) {
    const { path, yaml } = webhookConfigurations(
      file,
      await readFile(join(root, file), 'utf8'),
      all,
      project.crds,
    );
    put(path, file, yaml);
  }
  return all;
}

const filesOf = ({ versions }: Kind): string => [...new Set(versions.map(({ file }) => file))].join(', ');

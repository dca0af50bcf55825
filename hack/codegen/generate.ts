import { join } from 'node:path';
import { generateKinds } from './generate-kinds.ts';
import { collectOutputs, type Outputs } from './outputs.ts';
import { referencePage, referencePagePath } from './pages/reference-page.ts';
import type { Project } from './project.ts';
import type { Kind } from './source/kinds.ts';
import { filesAt } from './source/read-kinds.ts';
import { openapiTypes } from './types/openapi-types.ts';
import { schemasModule, schemasPath } from './types/schemas-module.ts';

/** This repository, or a copy of its sources in a test. */
export function repository(root: string): Project {
  return {
    root,
    apis: 'apis',
    crds: 'package/crds',
    objectMeta: '../../object-meta.ts',
    generator: 'hack/codegen',
    command: 'make generate',
    others: ['docs/reference/*.md', 'internal/systems/*/*/openapi.gen.ts', 'docs/api/*.api.md'],
  };
}

/** What is generated from the sources of this repository, in memory, except for the pages of `docs/api`. */
export async function generate(project: Project): Promise<Outputs> {
  const { root } = project;
  const { outputs, put } = collectOutputs(project);
  const kinds = await generateKinds(project, put);
  const emitted = kinds.flatMap((kind) =>
    kind.stored.forms
      .filter(({ emit }) => emit)
      .flatMap((form) => kind.versions.map((source) => ({ kind, source, form }))),
  );
  // Kinds of the same name, e.g. ProviderConfigs of several groups: the first one has the short page name.
  const groupOf = new Map<string, string>();
  for (const { kind } of emitted) {
    const [form] = kind.stored.forms;
    if (form !== undefined && !groupOf.has(form.singular)) groupOf.set(form.singular, form.group);
  }
  const hasShortName = ({ stored: { forms } }: Kind) =>
    groupOf.get(forms[0]?.singular ?? '') === forms[0]?.group;
  for (const { kind, source, form } of emitted) {
    const path = referencePagePath(kind, source, form, hasShortName(kind));
    put(path, source.file, referencePage(kind, source, form, hasShortName(kind)));
  }
  const managed = emitted.filter(({ source }) => source.managed);
  const files = [...new Set(managed.map(({ source }) => source.file))];
  if (files.length > 0) put(schemasPath, files.join(', '), schemasModule(managed));
  const documents = ['internal/systems/*/*/openapi.yaml', 'apis/*/*.openapi.yaml'];
  for (const path of (await Promise.all(documents.map((pattern) => filesAt(root, pattern)))).flat()) {
    put(path.replace(/\.yaml$/, '.gen.ts'), path, await openapiTypes(join(root, path)));
  }
  return outputs;
}

/** What `provider-kyma-kit generate` writes: CRDs, types, `kinds.gen.ts`, tests, pages, examples, monitoring, and once `main.ts`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKinds } from '../../codegen/generate-kinds.ts';
import { isGenerated } from '../../codegen/generated-header.ts';
import { collectOutputs, type Outputs } from '../../codegen/outputs.ts';
import { authorProject, type Project } from '../../codegen/project.ts';
import type { Kind } from '../../codegen/source/kinds.ts';
import type { ManagedSource, Schema } from '../../codegen/source/source.ts';
import { authorMonitoringFiles } from '../../monitoring/author-monitoring.ts';
import type { ProviderFile } from '../format/provider-file.ts';
import type { KindModel } from '../model/kind-model.ts';
import { configExample, examplePath, kindExample, scopeOf } from './examples.ts';
import { INDEX, indexPage, kindPage, type PageGiven, pagePath } from './kind-page.ts';
import { kindsModule } from './kinds-module.ts';
import type { AuthorProject } from './read-project.ts';
import { testsModule } from './tests-module.ts';

export interface GeneratedProject {
  readonly project: Project;
  readonly outputs: Outputs;
}

/** The same project always gives the same text. @throws SourceError */
export async function generateProject(author: AuthorProject): Promise<GeneratedProject> {
  const sources = sourcesOf(author);
  const project: Project = {
    ...authorProject(author.root),
    generator: 'provider-kyma-kit',
    command: 'npx provider-kyma-kit generate',
    others: ['*.gen.ts', '*.gen.test.ts', 'docs/{kinds/*,alerts}.md', 'examples/{cluster,namespaced}/*.yaml'],
    sources,
  };
  const { outputs, put } = collectOutputs(project);
  const kinds = await generateKinds(project, (path, source, text) => {
    const names = source.split(', ').map((name) => (sources.has(name) ? author.path : name));
    put(path, [...new Set(names)].join(', '), text);
  });
  put('kinds.gen.ts', author.path, kindsModule(author));
  put('kinds.gen.test.ts', author.path, testsModule(author));
  const { name, api } = author.file;
  const names = {
    program: `provider-${name}`,
    api: api.name ?? author.document.title,
    system: name,
  };
  const monitoring = authorMonitoringFiles(names).map(({ path, text }) => [path, text] as const);
  for (const [path, text] of [...documentationOf(author, kinds), ...monitoring])
    if (!(await isOwn(project, path))) put(path, author.path, text);
  return { project, outputs };
}

/** Pages and examples by path. */
function documentationOf(author: AuthorProject, kinds: readonly Kind[]): ReadonlyMap<string, string> {
  const { file, document } = author;
  const files = new Map<string, string>();
  const managed = kinds.flatMap(({ stored }) => (stored.managed ? [stored] : []));
  const pages = author.kinds.flatMap((model): PageGiven[] => {
    const source = managed.find(({ kind }) => kind === model.kind);
    if (source === undefined) return [];
    const forms = source.forms.filter(({ emit }) => emit);
    const cyclic = new Set(
      managed.map(({ kind }) => kind).filter((kind) => reachable(kind, managed).has(model.kind)),
    );
    const examples = forms.map((form) => {
      const example = kindExample(source, form, model, cyclic);
      files.set(examplePath(model.kind, form), example);
      return example;
    });
    return [{ source, forms, model, example: examples.at(-1) ?? '' }];
  });
  for (const page of pages) files.set(pagePath(page.model.kind), kindPage(page));
  const configs = kinds
    .filter(({ stored }) => stored.kind === 'ProviderConfig')
    .flatMap(({ stored: { forms, version } }) =>
      forms
        .filter(({ kind }) => kind === 'ProviderConfig')
        .map((form) => {
          const path = examplePath(form.kind, form);
          const api = {
            authentication: file.api.authentication ?? document.authentication ?? 'none',
            url: file.api.url ?? document.url,
          };
          files.set(path, configExample({ group: form.group, version, scope: scopeOf(form) }, api));
          return path;
        }),
    );
  files.set(INDEX, indexPage(file.api.name ?? document.title, pages, configs));
  return files;
}

/** The kinds to which a kind refers, directly or not, and itself. */
function reachable(
  kind: string,
  all: readonly ManagedSource[],
  known = new Set<string>(),
): ReadonlySet<string> {
  if (known.has(kind)) return known;
  known.add(kind);
  const source = all.find((each) => each.kind === kind);
  for (const other of source === undefined ? [] : referredBy(source.forProvider))
    reachable(other, all, known);
  return known;
}

const referredBy = ({ $reference, items, properties = {} }: Schema): readonly string[] => [
  ...($reference === undefined ? [] : [$reference.kind]),
  ...(items === undefined ? [] : referredBy(items)),
  ...Object.values(properties).flatMap(referredBy),
];

/** Whether the author has written the file, or made it an own one without the first line. */
async function isOwn(project: Project, path: string): Promise<boolean> {
  const text = await readFile(join(project.root, path), 'utf8').catch(() => undefined);
  return text !== undefined && !isGenerated(project, text);
}

/** The sources of kinds that hack/codegen reads, by path. JSON is YAML. */
function sourcesOf({ file, kinds }: AuthorProject): ReadonlyMap<string, string> {
  const { group, version } = file;
  const configs = {
    providerConfigs: {
      version,
      spec: {
        type: 'object',
        description: 'The desired state.',
        properties: {
          url: {
            type: 'string',
            maxLength: 2048,
            description: `The address of the API. Default: url in the credentials${file.api.url === undefined ? '' : `, else ${file.api.url}`}.`,
          },
        },
      },
    },
  };
  return new Map([
    [`apis/${group}/group.yaml`, JSON.stringify(configs)],
    // One that is written by hand has its source as a file.
    ...kinds
      .filter(({ code }) => code === undefined)
      .map((model): [string, string] => [sourcePath(model, file), JSON.stringify(sourceOf(model, group))]),
  ]);
}

/** Of the source of a kind. */
export const sourcePath = (
  { kind }: KindModel,
  { group, version }: Pick<ProviderFile, 'group' | 'version'>,
) => `apis/${group}/${version}/${kind.toLowerCase()}.yaml`;

export function sourceOf(
  { kind, plural, description, scopes, forProvider, atProvider }: KindModel,
  group: string,
) {
  const [first = '', ...domain] = group.split('.');
  const forms = {
    cluster: { scope: 'Cluster', group },
    namespaced: { scope: 'Namespaced', group: [first, 'm', ...domain].join('.') },
  };
  // The folder has the name of the cluster-scoped group; a form that is not served is not emitted.
  const list = (['cluster', 'namespaced'] as const).map((scope) => ({
    ...forms[scope],
    emit: scopes.includes(scope),
  }));
  return { kind, plural, managed: true, description, scopes: list, forProvider, atProvider };
}

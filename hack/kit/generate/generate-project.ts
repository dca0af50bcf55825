/** What `provider-kyma-kit generate` writes: CRDs, types, `kinds.gen.ts`, tests, and once `main.ts`. */
import { generateKinds } from '../../codegen/generate-kinds.ts';
import { collectOutputs, type Outputs } from '../../codegen/outputs.ts';
import { authorProject, type Project } from '../../codegen/project.ts';
import type { ProviderFile } from '../format/provider-file.ts';
import type { KindModel } from '../model/kind-model.ts';
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
    others: ['*.gen.ts', '*.gen.test.ts'],
    sources,
  };
  const { outputs, put } = collectOutputs(project);
  await generateKinds(project, (path, source, text) => {
    const names = source.split(', ').map((name) => (sources.has(name) ? author.path : name));
    put(path, [...new Set(names)].join(', '), text);
  });
  put('kinds.gen.ts', author.path, kindsModule(author));
  put('kinds.gen.test.ts', author.path, testsModule(author));
  return { project, outputs };
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

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { Position } from '../../codegen/source/source.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { sourceOf, sourcePath } from '../generate/generate-project.ts';
import { lowerFirst, members } from '../generate/kinds-module.ts';
import { type AuthorProject, PROVIDER_FILE, readProject } from '../generate/read-project.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';
import type { KindModel } from '../model/kind-model.ts';

const usage = `Usage: provider-kyma-kit eject KIND

Makes a generated kind one that is written by hand: writes its source in apis, and kinds/<kind>.ts with its definition and its external
client, and states code: kinds/<kind>.ts in ${PROVIDER_FILE}. Then run generate. The tests stay the same.`;

export const ejectCommand: KitCommand = {
  usage,
  run: async (args) => {
    const { positionals } = readArgs(usage, { args, allowPositionals: true, options: {} });
    const [kind, ...others] = positionals;
    if (kind === undefined || others.length > 0) throw new KitError(usage);
    const files = await ejectKind(await readProject(process.cwd()), kind);
    for (const [path, text] of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      console.log(`wrote ${path}`);
    }
    console.log(nextSteps(kind));
    return true;
  },
};

/** After the files were written. */
export const nextSteps = (kind: string): string => `Next:
  npx provider-kyma-kit generate
  npx provider-kyma-kit test --kind ${kind}
Requests of your own belong into ${PROVIDER_FILE} too, for the simulated API: requests: [<operation>].`;

/** What is written, by path. @throws KitError if a file is there already, or if the kind is none that is generated */
export async function ejectKind(author: AuthorProject, kind: string): Promise<ReadonlyMap<string, string>> {
  const model = author.kinds.find((each) => each.kind === kind);
  if (model === undefined)
    throw new KitError(
      unknownName(
        'kind',
        kind,
        author.kinds.map((each) => each.kind),
      ),
    );
  if (model.code !== undefined) throw new KitError(`${kind} is written by hand already: ${model.code}`);
  const code = `kinds/${kind.toLowerCase()}.ts`;
  const source = sourcePath(model, author.file);
  for (const path of [code, source])
    if (existsSync(join(author.root, path))) throw new KitError(`${path} is there already`);
  const text = await readFile(join(author.root, author.path), 'utf8');
  const { at } = readProviderFile(author.path, text);
  return new Map([
    [source, stringify(sourceOf(model, author.file.group), { lineWidth: 120 })],
    [code, codeOf(model, author)],
    [author.path, withCode(text, { kind, code, at: at(`kinds.${kind}`) })],
  ]);
}

function withCode(
  text: string,
  { kind, code, at }: { readonly kind: string; readonly code: string; readonly at: Position },
): string {
  const lines = text.split('\n');
  const line = lines[at.line - 1] ?? '';
  if (!/^\s*["']?\w+["']?:\s*(?:#.*)?$/.test(line))
    throw new KitError(
      `${PROVIDER_FILE}:${at.line}: write ${kind} in several lines, so that code: ${code} can be added`,
    );
  return lines.toSpliced(at.line, 0, `${' '.repeat(at.col + 1)}code: ${code}`).join('\n');
}

function codeOf({ kind, definition }: KindModel, { file, hasHooks }: AuthorProject): string {
  const name = lowerFirst(kind);
  const module = `../apis/${file.group}/${file.version}/${kind.toLowerCase()}.gen.ts`;
  return `/** ${kind}, written by hand: replace what its API needs. The definition is also that of its tests. */
import type { ExternalClient, ManagedKind } from 'provider-kyma/managed';
import { type RestDefinition, type RestKindOptions, restClient, restKind } from 'provider-kyma/rest';
import type { ${kind} } from '${module}';
${hasHooks ? `import { hooks } from '../hooks.ts';\nimport type { Hooks } from '../kinds.gen.ts';\n\nconst own: Hooks = hooks;\n` : ''}
export const ${name}: RestDefinition<${kind}> = {
${members(definition, '    ')}
${hasHooks ? `    hooks: own.${kind} ?? {},\n` : ''}};

export function ${name}Kind(
    definition: RestDefinition<${kind}>,
    options: RestKindOptions<${kind}>,
): ManagedKind<${kind}> {
    const { api, kinds } = options;
    return {
        ...restKind(definition, options),
        connector: {
            connect: async (resource, ctx): Promise<ExternalClient<${kind}>> => {
                // For requests of your own: connection.session.client<paths>(), as docs/provider-authors.md shows.
                const connection = await api.connect(resource, kinds, ctx);
                const client = restClient({ definition, api, connection });
                return {
                    observe: (${name}, context) => client.observe(${name}, context),
                    create: (${name}, context) => client.create(${name}, context),
                    update: (${name}, context) => client.update(${name}, context),
                    delete: (${name}, context) => client.delete(${name}, context),
                    disconnect: () => connection.session.close(),
                };
            },
        },
    };
}
`;
}

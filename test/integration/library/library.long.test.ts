/** The framework as provider authors get it: the files that npm packs, used from another folder. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';
import { blocksOf, filesOf, moduleOf } from './page-code.ts';

const ROOT = join(import.meta.dirname, '../../..');

const ENTRIES = [
  ...['base', 'http', 'kube', 'process', 'controller', 'managed', 'rest', 'components'],
  ...['testing', 'testing/rest', 'testing/control-plane'],
];

const tsconfig = (include: readonly string[]) =>
  JSON.stringify({
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      types: ['node'],
      strict: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: false,
    },
    include,
  });

let author: AuthorFolder;
beforeAll(async () => {
  author = await createAuthorFolder();
  await author.write('package.json', '{ "type": "module" }');
  await author.write('tsconfig.json', tsconfig(['author.ts']));
});
afterAll(() => author.remove());

/** The exports that the report of an entry lists; with `values`, only those that exist at run time. */
async function reported(entry: string, values = false): Promise<string[]> {
  const file = new URL(`../../../docs/api/${entry.replace('/', '-')}.api.md`, import.meta.url);
  const kinds = values ? 'class|const|function' : 'class|const|function|interface|type';
  const declaration = new RegExp(`^export (?:abstract )?(?:${kinds}) (\\w+)`, 'gm');
  const names = [...(await readFile(file, 'utf8')).matchAll(declaration)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
}

test('the package has the framework, and neither tests nor anything special to this provider', async () => {
  const files = await author.installed();
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      'dist/lib/internal/framework/managed/index.d.ts',
      'dist/lib/hack/codegen/command.js',
      'dist/lib/hack/kit/command.js',
      'dist/lib/hack/control-planes/binaries/build/go.mod',
      'hack/codegen/README.md',
    ]),
  );
  expect(
    files.filter((file) =>
      /^dist.*\.test\.|provider-kyma\.mjs|^dist\/lib\/(?!internal\/(framework|templates|systems\/reconciler\/(components|operations))\/|hack\/(bundle|codegen|control-planes|kit|monitoring|xpkg)\/)/.test(
        file,
      ),
    ),
  ).toEqual([]);
});

test('the pages for authors lead to files of the package', async () => {
  const files = new Set(await author.installed());
  const pages = [...files].filter((file) => /^docs\/(?:provider-authors|authors\/[\w-]+)\.md$/.test(file));
  expect(pages.length).toBeGreaterThan(5);
  const broken: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(ROOT, page), 'utf8');
    const prose = text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g))
      if (!/^[a-z]+:/.test(target) && !files.has(posix.join(posix.dirname(page), target)))
        broken.push(`${page}: ${target}`);
  }
  expect(broken).toEqual([]);
});

test('npm packs the very files that these tests install', async () => {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--dry-run', '--json', '--offline', '--ignore-scripts'],
    { cwd: ROOT },
  );
  const [packed]: { files: { path: string }[] }[] = JSON.parse(stdout);
  expect(packed?.files.map(({ path }) => path).sort()).toEqual((await author.installed()).sort());
});

test('each entry has at run time what its report lists, and nothing else', async () => {
  const script = `
      const entries = ${JSON.stringify(ENTRIES)};
      const names = async (entry) => Object.keys(await import('provider-kyma/' + entry)).sort();
      console.log(JSON.stringify(await Promise.all(entries.map(async (entry) => [entry, await names(entry)]))));`;
  const { code, output } = await author.node(['--input-type=module', '-e', script]);
  expect({ code, entries: JSON.parse(output) }).toEqual({
    code: 0,
    entries: await Promise.all(ENTRIES.map(async (entry) => [entry, await reported(entry, true)])),
  });
});

test('a module that is no entry cannot be imported', async () => {
  const script = "await import('provider-kyma/dist/lib/internal/framework/controller/controller.js')";
  const { code, output } = await author.node(['--input-type=module', '-e', script]);
  expect(code).toBe(1);
  expect(output).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('the types of all entries resolve by the rules of Node and are sound, third parties included', async () => {
  const imports = await Promise.all(
    ENTRIES.map(async (entry, position) => {
      const names = (await reported(entry)).map((name) => `type ${name} as ${name}${position}`);
      return `import { ${names.join(', ')} } from 'provider-kyma/${entry}';`;
    }),
  );
  const use = `import { WaitingError } from 'provider-kyma/base';
      export const retry: boolean = new WaitingError('wait').retry;
      // @ts-expect-error: the declarations are not a heap of any
      export const wrong: number = new WaitingError('wait').retry;`;
  await author.write('author.ts', [...imports, use].join('\n'));
  expect(await author.tsc()).toEqual({ code: 0, output: '' });
});

/** What pages take for granted: imports of an earlier block, and files of an author. */
const GIVEN = {
  'docs/provider-authors.md': `
    import { randomUUID } from 'node:crypto';
    import { readFile } from 'node:fs/promises';
    import type { Logger } from 'provider-kyma/base';
    import type { ClusterConfig, KubeClient, KubeObject, ObjectWatcher, ResourceType } from 'provider-kyma/kube';
    import { type ConfigKinds, type CredentialSelectors, extractCredentials } from 'provider-kyma/managed';
    import { type Managed, type ManagedKind, type Provider } from 'provider-kyma/managed';
    import { type ProviderConfig, usedConfigOf } from 'provider-kyma/managed';
    import { type ReconcileContext } from 'provider-kyma/managed';
    type BucketCall = { path: { name: string } };
    type BucketFound = { responses: { 200: { content: { 'application/json': { size: number } } } } };
    type paths = { '/v1/buckets/{name}': { get: { parameters: BucketCall } & BucketFound } };
    type MyConfig = ProviderConfig & { spec: { credentials: CredentialSelectors } };
    declare const greetingKind: (parts: { client: KubeClient; objectWatcher: ObjectWatcher }) => ManagedKind<Managed>;
    type Parts = { client: KubeClient; type: ResourceType<Bucket>; kinds: ConfigKinds };
    declare const bucketKind: (parts: Parts) => ManagedKind<Bucket>;
    declare const log: Logger, client: KubeClient, kinds: ConfigKinds<MyConfig>, provider: Provider;
    type Welcome = KubeObject & { status?: object };
    declare const otherConfig: ClusterConfig;
    declare const welcomesOf: (settings: KubeObject) => string[];
    declare const resource: Managed, signal: AbortSignal;`,
  'docs/components/library.md': '',
  'internal/framework/managed/README.md': `
    import { systemClock } from 'provider-kyma/base';
    import { createKubeClient, loadClusterConfig } from 'provider-kyma/kube';
    import { createLogger, createPrometheusMetrics } from 'provider-kyma/process';
    import { createProvider } from 'provider-kyma/managed';
    declare const bucketKind: (storage: object) => ManagedKind<Managed>;
    declare const storage: object, stopping: AbortController;`,
};

test('the code on the pages for authors compiles, with the types of their YAML', async () => {
  const modules: string[] = [];
  for (const [index, [page, given]] of Object.entries(GIVEN).entries()) {
    const markdown = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8');
    for (const [file, source] of filesOf(markdown)) await author.write(file, source);
    const blocks = blocksOf(markdown);
    expect(blocks.length).toBeGreaterThan(1);
    modules.push(`page-${index}.ts`);
    await author.write(`page-${index}.ts`, moduleOf(blocks, given));
  }
  expect(await author.generate()).toMatchObject({ code: 0 });
  await author.write('tsconfig.json', tsconfig(modules));
  expect(await author.tsc()).toEqual({ code: 0, output: '' });
});

test('the example is generated from its source, compiles against the package, and its own test succeeds', async () => {
  const example = await author.copy('examples/hello-provider');
  expect(await author.generate(['--check'], example)).toEqual({ code: 0, output: '' });
  expect(await author.tsc(example)).toEqual({ code: 0, output: '' });
  const { code, output } = await author.node(['--test', '--test-reporter=tap'], example);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^# pass [1-9]/m) });
});

test('the example is a complete provider in under 150 lines', async () => {
  const files = ['main.ts', 'greeting.ts', 'greeter-api.ts'];
  const texts = await Promise.all(
    files.map((file) =>
      readFile(new URL(`../../../examples/hello-provider/${file}`, import.meta.url), 'utf8'),
    ),
  );
  expect(texts.join('').split('\n').length).toBeLessThan(150);
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from),
  );
  expect(imported.filter((from) => !/^provider-kyma\/|^\.\/([\w-]+|apis\/.+\.gen)\.ts$/.test(from))).toEqual(
    [],
  );
});

/** The framework as provider authors get it: packed by npm, and used from another folder. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';
import { blocksOf, filesOf, moduleOf } from './page-code.ts';

const LIMIT_MS = 180_000;

const ENTRIES = ['base', 'http', 'kube', 'process', 'controller', 'managed', 'components', 'testing'];

const TSCONFIG = JSON.stringify({
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
  include: ['author.ts'],
});

let author: AuthorFolder;
beforeAll(async () => {
  author = await createAuthorFolder();
  await author.write('package.json', '{ "type": "module" }');
  await author.write('tsconfig.json', TSCONFIG);
}, LIMIT_MS);
afterAll(() => author.remove());

/** The exports that the report of an entry lists; with `values`, only those that exist at run time. */
async function reported(entry: string, values = false): Promise<string[]> {
  const file = new URL(`../../docs/api/${entry.replace('/', '-')}.api.md`, import.meta.url);
  const kinds = values ? 'class|const|function' : 'class|const|function|interface|type';
  const declaration = new RegExp(`^export (?:abstract )?(?:${kinds}) (\\w+)`, 'gm');
  const names = [...(await readFile(file, 'utf8')).matchAll(declaration)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
}

test('the package has the framework, and neither tests nor anything special to this provider', async () => {
  const files = await author.packed();
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      'dist/lib/managed/index.d.ts',
      'dist/lib/codegen/command.js',
      'hack/codegen/README.md',
    ]),
  );
  expect(
    files.filter((file) =>
      /\.test\.|^dist\/lib\/(?!base|http|kube|process|controller|managed|components|reconciliation|helm|gotemplate|codegen)|provider-kyma\.mjs/.test(
        file,
      ),
    ),
  ).toEqual([]);
});

test(
  'each entry has at run time what its report lists, and nothing else',
  async () => {
    for (const entry of ENTRIES) {
      const script = `console.log(JSON.stringify(Object.keys(await import('provider-kyma/${entry}')).sort()))`;
      const { code, output } = await author.node(['--input-type=module', '-e', script]);
      expect({ entry, code, names: JSON.parse(output) }).toEqual({
        entry,
        code: 0,
        names: await reported(entry, true),
      });
    }
  },
  LIMIT_MS,
);

test('a module that is no entry cannot be imported', async () => {
  const script = "await import('provider-kyma/dist/lib/controller/controller.js')";
  const { code, output } = await author.node(['--input-type=module', '-e', script]);
  expect(code).toBe(1);
  expect(output).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test(
  'the types of all entries resolve by the rules of Node and are sound, third parties included',
  async () => {
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
  },
  LIMIT_MS,
);

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
  'internal/managed/README.md': `
    import { systemClock } from 'provider-kyma/base';
    import { createKubeClient, loadClusterConfig } from 'provider-kyma/kube';
    import { createLogger } from 'provider-kyma/process';
    import { createProvider } from 'provider-kyma/managed';
    declare const bucketKind: (storage: object) => ManagedKind<Managed>;
    declare const storage: object, stopping: AbortController;`,
};

test(
  'the code on the pages for authors compiles, with the types of their YAML',
  async () => {
    for (const [page, given] of Object.entries(GIVEN)) {
      const markdown = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
      for (const [file, source] of filesOf(markdown)) await author.write(file, source);
      expect(await author.generate()).toMatchObject({ code: 0 });
      const blocks = blocksOf(markdown);
      expect(blocks.length).toBeGreaterThan(1);
      await author.write('author.ts', moduleOf(blocks, given));
      expect({ page, ...(await author.tsc()) }).toEqual({ page, code: 0, output: '' });
    }
  },
  LIMIT_MS,
);

test(
  'the example is generated from its source, compiles against the package, and its own test succeeds',
  async () => {
    const example = await author.copy('examples/hello-provider');
    expect(await author.generate(['--check'], example)).toEqual({ code: 0, output: '' });
    expect(await author.tsc(example)).toEqual({ code: 0, output: '' });
    const { code, output } = await author.node(['--test', '--test-reporter=tap'], example);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^# pass [1-9]/m) });
  },
  LIMIT_MS,
);

test('the example is a complete provider in under 150 lines', async () => {
  const files = ['main.ts', 'greeting.ts', 'greeter-api.ts'];
  const texts = await Promise.all(
    files.map((file) => readFile(new URL(`../../examples/hello-provider/${file}`, import.meta.url), 'utf8')),
  );
  expect(texts.join('').split('\n').length).toBeLessThan(150);
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from),
  );
  expect(imported.filter((from) => !/^provider-kyma\/|^\.\/([\w-]+|apis\/.+\.gen)\.ts$/.test(from))).toEqual(
    [],
  );
});

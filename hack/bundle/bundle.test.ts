import { basename, join, posix } from 'node:path';
import { beforeAll, expect, jest, test } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { temporaryFolder } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { type BundleFile, bundle, bundleFiles } from './bundle.ts';
import { type Sbom, sbom } from './sbom.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Whole builds, possibly on a busy machine. */
jest.setTimeout(120_000);

const folder = temporaryFolder('sbom-');
let metafile: Metafile;
let files: readonly BundleFile[];
let code: string;
let text: string;
let bill: Sbom;

beforeAll(async () => {
  // As in a fresh clone, where there is no such folder yet.
  const output = join(folder, 'dist', 'provider-kyma.mjs');
  metafile = await bundle({ version: '1.2.3', output });
  files = await bundleFiles(output);
  const modules = files.filter(({ name }) => name.endsWith('.mjs'));
  code = modules.map(({ bytes }) => Buffer.from(bytes).toString()).join('\n');
  text = await sbom({ metafile, root: ROOT, version: '1.2.3' });
  bill = JSON.parse(text);
}, 60_000);

test('the bundle is held in memory with one byte for each character', () => {
  expect(code.match(/[^\p{ASCII}]/gu)).toBeNull();
});

test('nothing makes Node load its own undici, and of that in the bundle nothing that is not used', () => {
  // For an import as an ES module, Node reads all exports.
  expect(code).not.toMatch(/ from "(node:)?(http|util)";|import\("(node:)?http"\)/);
  expect(code).toContain('getBuiltinModule("node:http")');
  const unused = [
    'web/fetch/index.js',
    'web/fetch/body.js',
    'cache/sqlite-cache-store.js',
    'mock/mock-agent.js',
  ];
  for (const file of [
    ...unused,
    'dispatcher/client-h2.js',
    'dispatcher/parser-h1.js',
    'core/socks5-client.js',
  ])
    expect(code).not.toContain(`node_modules/undici/lib/${file}\n`);
  expect(code).toContain('// node_modules/undici/lib/dispatcher/pool.js\n');
  // The clients of HTTP APIs have no Headers and Response of Node.
  expect(code).toContain('// hack/bundle/light-fetch.ts\n');
  // Node loads its undici for the first mention of a global FormData.
  expect(code).toMatch(/^var FormData\d* = class/m);
});

test('the bill has every package with code in the bundle, and no other', () => {
  // esbuild leaves the path of each file above its code.
  const commented = [...code.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(
    ([, name]) => name,
  );
  expect(new Set(bill.components.map(({ name }) => name))).toEqual(new Set(commented));
  expect(bill.components.length).toBeGreaterThan(10);
});

test('each component has a version, a package URL, a licence and the digest of what npm installed', () => {
  for (const { name, version, purl, licenses, hashes } of bill.components) {
    expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    expect([name, licenses?.length ?? 0]).not.toEqual([name, 0]);
    expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
  }
});

test('the bill names the provider in its version, and refers to nothing outside', () => {
  expect(bill.metadata.component).toMatchObject({
    name: 'provider-kyma',
    version: '1.2.3',
    type: 'application',
  });
  const known = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']));
  for (const { ref, dependsOn } of bill.dependencies) {
    expect([ref, ...dependsOn].filter((id) => !known.has(id))).toEqual([]);
  }
  expect(bill.dependencies).toHaveLength(known.size);
});

test('the same bundle has the same bill', async () => {
  expect(await sbom({ metafile, root: ROOT, version: '1.2.3' })).toBe(text);
  expect(bill.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('a package that the lock file does not have is an error', async () => {
  const inputs = { 'hack/codegen/node_modules/openapi-typescript/dist/index.js': { bytesInOutput: 1 } };
  const [[name, output] = ['', undefined]] = Object.entries(metafile.outputs);
  if (output === undefined) throw new Error('nothing was bundled');
  const strange: Metafile = { ...metafile, outputs: { [name]: { ...output, inputs } } };

  await expect(sbom({ metafile: strange, root: ROOT, version: '1.2.3' })).rejects.toThrow(
    /does not have openapi-typescript@/,
  );
});

test('what few users need is in parts of its own, which `start` does not load', () => {
  const outputs = new Map(Object.entries(metafile.outputs));
  const partWith = (input: string) =>
    [...outputs].find(([, { inputs }]) => Object.hasOwn(inputs, input))?.[0] ?? `no part has ${input}`;
  const loaded = new Set([partWith('internal/program/start/start.ts')]);
  // A set grows while it is walked.
  for (const path of loaded) {
    for (const { path: imported, kind } of outputs.get(path)?.imports ?? []) {
      if (kind !== 'dynamic-import') loaded.add(imported);
    }
  }
  expect(loaded).toContain(partWith('internal/framework/managed/provider.ts'));
  const onDemand = [
    'internal/framework/managed/changelog/change-log.ts',
    'node_modules/@grpc/grpc-js/build/src/index.js',
    'internal/framework/process/telemetry/tracing/open-traces.ts',
    'node_modules/@opentelemetry/sdk-trace/build/esm/TracerProvider.js',
    'internal/program/plan/run-plan.ts',
    // Modules, of which `--controllers` chooses.
    'internal/systems/inventory/inventory.ts',
    'internal/systems/inventory/hana-cloud/client.ts',
    'internal/systems/btp/btp.ts',
    'internal/systems/btp/service-manager/service-manager.ts',
    'node_modules/hono/dist/hono-base.js',
    'internal/systems/reconciler/mothership/program/run-mothership.ts',
    'node_modules/@electric-sql/pglite/dist/index.js',
  ];
  for (const input of onDemand) expect([input, loaded.has(partWith(input))]).toEqual([input, false]);
});

/** The files that are loaded with these, by their imports. */
function loadedWith(names: readonly string[]): Set<string> {
  const loaded = new Set(names);
  // A set grows while it is walked.
  for (const name of loaded) {
    const text = Buffer.from(files.find((file) => file.name === name)?.bytes ?? []).toString();
    for (const [, path = ''] of text.matchAll(/(?:\bfrom|^import) "(\.\.?\/[^"]+\.mjs)";$/gm))
      loaded.add(posix.join(posix.dirname(name), path));
  }
  return loaded;
}

test('what is imported on demand has its names: of a CommonJS package a part would have only `default`', () => {
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.flatMap(({ kind, path }) => metafile.outputs[kind === 'dynamic-import' ? path : ''] ?? []),
  );
  expect(imported.length).toBeGreaterThan(10);
  const nameless = imported.filter(({ exports }) => exports.join() === 'default');
  expect(nameless.map(({ entryPoint }) => entryPoint)).toEqual([]);
});

test('a start loads four files and those of its modules, since each file takes time', () => {
  const partOf = (source: string) => {
    const [path = ''] =
      Object.entries(metafile.outputs).find((output) => output[1].entryPoint === source) ?? [];
    return `provider-kyma-parts/${basename(path)}`;
  };
  const program = ['provider-kyma.mjs', partOf('internal/program/start/start.ts')];
  const own = loadedWith(program);
  expect([...own].sort()).toEqual(
    [...program, 'provider-kyma-parts/program.mjs', 'provider-kyma-parts/start-program.mjs'].sort(),
  );
  const systems = [
    'inventory/inventory.ts',
    'btp/btp.ts',
    'infrastructure-manager/infrastructure-manager.ts',
    'reconciler/kyma-cluster/reconciler.ts',
  ];
  for (const file of systems) {
    const more = loadedWith([...own, partOf(`internal/systems/${file}`)]).size - own.size;
    expect([file, more <= 4]).toEqual([file, true]);
  }
  // Templates are rendered in threads.
  const service = loadedWith([...own, partOf('internal/systems/btp/btp.ts')]);
  const code = files
    .filter(({ name }) => service.has(name))
    .map(({ bytes }) => Buffer.from(bytes).toString());
  expect(code.join('\n')).not.toMatch(
    /^ *\/\/ (internal\/templates\/gotemplate\/template\.ts|node_modules\/re2js\/)/m,
  );
});

test('the files of the embedded database are beside its code', () => {
  const names = files.map(({ name }) => name);
  const wanted = [...code.matchAll(/new URL\("(?:\.\/)?([\w.]+\.(?:wasm|data))", ?import\.meta\.url\)/g)].map(
    ([, name = '']) => `provider-kyma-parts/${name}`,
  );
  expect(new Set(wanted).size).toBe(3);
  expect(names).toEqual(expect.arrayContaining(wanted));
});

test('the page for operators is beside the code that serves it, its script as one module without imports', () => {
  const names = files.map(({ name }) => name);
  const page = ['page.css', 'page.html', 'page.js'].map((name) => `provider-kyma-parts/${name}`);
  expect(names).toEqual(expect.arrayContaining(page));
  const script = files.find(({ name }) => name.endsWith('/page.js'));
  expect(Buffer.from(script?.bytes ?? []).toString()).not.toMatch(/^import /m);
});

test('gRPC comes without the reader of .proto files, which only its server needs', () => {
  expect(bill.components.map(({ name }) => name)).toContain('@grpc/grpc-js');
  expect(code).not.toMatch(/node_modules\/(@grpc\/proto-loader|protobufjs)\//);
});

test('a bundle in one file has no parts', async () => {
  const output = join(folder, 'whole', 'provider-kyma.mjs');
  await bundle({ version: '1.2.3', output, parts: false });
  expect((await bundleFiles(output)).map(({ name }) => name)).toEqual(['provider-kyma.mjs']);
  expect(files.length).toBeGreaterThan(5);
});

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const DEPCRUISE = join(ROOT, 'hack/codegen/node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** Imports that follow the rules: file, specifier, why. */
const allowed: [string, string, string][] = [
  ['internal/cli/b.ts', '../controllers/a/module.ts', 'the command line is above all'],
  ['internal/cli/b.ts', '../base/clock.ts', 'every layer uses base'],
  ['internal/cli/b.ts', '../controller/queue/queue.ts', 'the command line may use parts of the framework'],
  ['internal/controllers/b/c.ts', '../../clients/hana/client.ts', 'controllers connect the layers'],
  ['internal/controllers/b/c.ts', '../../../apis/g/v1/k.gen.ts', 'and use the types of the API'],
  ['internal/controllers/b/c.ts', '../../managed/index.ts', 'controllers use the framework'],
  ['internal/controllers/b/c.ts', '../../controller/index.ts', 'all of it'],
  ['internal/controllers/b/c.ts', '../../process/flags/flag.ts', 'and its flags alone'],
  ['internal/controllers/b/c.test.ts', '../../managed/fakes/index.ts', 'and their tests its fakes'],
  ['internal/managed/b.ts', '../controller/queue/queue.ts', 'managed resources have controllers'],
  ['internal/controller/b.ts', '../kube/client.ts', 'controllers use Kubernetes'],
  ['internal/controller/b.ts', '../process/manager.ts', 'and run in a process'],
  [
    'internal/kube/config/program-credentials.ts',
    '@kubernetes/client-node',
    'this file loads the Kubernetes client',
  ],
  [
    'internal/mothership/kubeconfigs/c.ts',
    '../../kube/client.ts',
    'the mothership opens clusters to check kubeconfigs',
  ],
  ['internal/mothership/kubeconfigs/c.ts', '../../process/manager.ts', 'and runs in a process'],
  ['internal/kube/b.ts', '../http/http.ts', 'API servers speak HTTP'],
  ['internal/clients/b/c.ts', '../../http/http.ts', 'every client of an API uses the HTTP layer'],
  ['internal/clients/b/c.ts', 'undici', 'a dependency'],
  ['internal/clients/b/c.test.ts', '../../../test/simulators/hana/server.ts', 'tests may use simulators'],
  ['internal/base/b.ts', 'node:crypto', 'Node is there'],
  ['internal/base/b.test.ts', 'fast-check', 'tests are not shipped'],
  ['internal/cli/c.ts', '@kubernetes/client-node#type', 'types of a package may be used anywhere'],
  ['test/integration/b.ts', '../../hack/build.ts', 'test is no layer'],
  ['hack/demo/b.ts', '../../test/simulators/hana/server.ts', 'nor is hack'],
];

/** Pairs of files that import each other. */
const cycles: [string, string, string][] = [
  ['internal/base/one.ts', 'internal/base/two.ts', ''],
  ['internal/base/three.ts', 'internal/base/four.ts', '#type'],
];

/** Imports against the rules: file, specifier, rule. */
const refused: [string, string, string][] = [
  ['internal/clients/a/a.ts', '../../managed/index.ts', 'imports-of-internal-clients'],
  ['internal/process/a.ts', '../kube/client.ts', 'imports-of-internal-process'],
  ['internal/process/a.ts', '../controller/queue/queue.ts', 'imports-of-internal-process'],
  ['internal/mothership/api/a.ts', '../../controller/queue/queue.ts', 'imports-of-internal-mothership'],
  ['internal/mothership/api/a.ts', '../../managed/index.ts', 'imports-of-internal-mothership'],
  ['internal/mothership/api/a.ts', '../../provider/start.ts', 'imports-of-internal-mothership'],
  ['internal/mothership/model/a.ts', '../inventory/b.ts', 'layers-of-mothership-model'],
  ['internal/mothership/rollouts/a.ts', '../api/b.ts', 'layers-of-mothership-repositories'],
  ['internal/mothership/other/a.ts', '../model/b.ts', 'known-layers-of-mothership'],
  ['internal/controller/a.ts', '../managed/index.ts', 'imports-of-internal-controller'],
  ['internal/provider/a.ts', '../cli/main.ts', 'imports-of-internal-provider'],
  ['internal/clients/a/a.ts', '../../kube/client.ts', 'imports-of-internal-clients'],
  ['internal/managed/a.ts', '../clients/hana/client.ts', 'imports-of-internal-managed'],
  ['internal/managed/a.ts', '../../apis/g/v1/k.gen.ts', 'imports-of-internal-managed'],
  ['internal/managed/a.test.ts', '../controllers/a/module.ts', 'imports-of-internal-managed'],
  ['internal/kube/a.ts', '../managed/index.ts', 'imports-of-internal-kube'],
  ['internal/http/a.ts', '../kube/client.ts', 'imports-of-internal-http'],
  ['internal/http/a.ts', '../clients/hana/client.ts', 'imports-of-internal-http'],
  ['internal/base/a.ts', '../kube/client.ts', 'imports-of-internal-base'],
  ['internal/base/a.ts', '../http/http.ts', 'imports-of-internal-base'],
  ['internal/base/c.ts', '../kube/client.ts#type', 'imports-of-internal-base'],
  ['internal/controllers/a/a.ts', '../../cli/main.ts', 'imports-of-internal-controllers'],
  ['internal/controllers/a/a.ts', '../../controller/queue/queue.ts', 'framework-through-its-index'],
  ['internal/cli/a.ts', '../../hack/build.ts', 'imports-of-internal-cli'],
  ['internal/cli/a.test.ts', '../../hack/build.ts', 'imports-of-internal-cli'],
  ['internal/cli/a.test.ts', '../../test/integration/world.ts', 'imports-of-internal-cli'],
  ['internal/cli/a.ts', '../../test/simulators/hana/server.ts', 'simulators-are-for-tests'],
  ['internal/cli/a.ts', '@kubernetes/client-node', 'one-kubernetes-client'],
  ['internal/kube/a.ts', '@kubernetes/client-node', 'one-kubernetes-client'],
  ['internal/cli/a.ts', 'ajv', 'shipped-packages'],
  ['internal/cli/a.ts', 'not-installed', 'shipped-packages'],
  ['internal/utils/a.ts', 'node:fs', 'known-layers'],
  ['apis/g/v1/a.ts', '../../../internal/base/time/clock.ts', 'imports-of-apis'],
  ['apis/g/v1/a.ts', 'undici', 'imports-of-apis'],
  ['apis/g/v1/a.test.ts', '../../../internal/base/time/clock.ts', 'tests-of-apis'],
];

const packages = { undici: true, '@kubernetes/client-node': true, ajv: false, 'fast-check': false };

let folder = '';
const found = new Set<string>();

async function write(path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
  const sources = new Map<string, string[]>();
  const circular = cycles.flatMap(([a, b, type]) => [
    [a, `./${basename(b)}${type}`],
    [b, `./${basename(a)}${type}`],
  ]);
  for (const [path = '', specifier = ''] of [...allowed, ...refused, ...circular]) {
    const [from, type] = specifier.split('#');
    const target = from?.startsWith('.') ? join(dirname(path), from) : undefined;
    if (target !== undefined && !sources.has(target)) sources.set(target, []);
    const statement = `import ${type ? 'type ' : ''}{ x } from '${from}';`;
    sources.set(path, [...(sources.get(path) ?? []), statement]);
  }
  for (const [path, lines] of sources) await write(path, [...lines, 'export const x = 1;', ''].join('\n'));
  const named = (shipped: boolean) =>
    Object.fromEntries(Object.entries(packages).flatMap(([name, s]) => (s === shipped ? [[name, '1']] : [])));
  await write(
    'package.json',
    JSON.stringify({ type: 'module', dependencies: named(true), devDependencies: named(false) }),
  );
  for (const name of Object.keys(packages)) {
    await write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    await write(`node_modules/${name}/index.js`, 'export const x = 1;\n');
  }
  const rules = join(import.meta.dirname, 'import-rules.js');
  const args = [DEPCRUISE, '--config', rules, '--output-type', 'json', 'apis', 'internal', 'hack', 'test'];
  const { promise, resolve } = Promise.withResolvers<string>();
  // It exits with the number of violations.
  execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout) => resolve(stdout));
  const { summary }: { summary: { violations: { from: string; to: string; rule: { name: string } }[] } } =
    JSON.parse(await promise);
  for (const { from, to, rule } of summary.violations) found.add(`${from} → ${to}: ${rule.name}`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The violations of one import. */
function violationsOf(path: string, specifier: string): string[] {
  const [from = ''] = specifier.split('#');
  const ends = (target: string) =>
    from.startsWith('.') ? target === join(dirname(path), from) : target.includes(from.replace('node:', ''));
  return [...found].flatMap((line) => {
    const [, source, target = '', rule = ''] = /^(.*?) → (.*?): (.*)$/.exec(line) ?? [];
    return source === path && ends(target) ? [rule] : [];
  });
}

describe('an import that follows the rules', () => {
  test.each(allowed)('%s → %s is allowed: %s', (path, specifier) => {
    expect(violationsOf(path, specifier)).toEqual([]);
  });
});

describe('an import against the rules', () => {
  test.each(refused)('%s → %s is refused by %s', (path, specifier, rule) => {
    expect(violationsOf(path, specifier)).toContain(rule);
  });
});

test.each(cycles)('%s and %s must not import each other%s', (a, b) => {
  const both = [`${a} → ${b}`, `${b} → ${a}`].map((line) => `${line}: no-cycles-of-files`);
  expect(both.filter((line) => found.has(line))).toHaveLength(1);
});

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../internal/framework/base/temporary-folder.fixture.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEPCRUISE = join(ROOT, 'hack/codegen/node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** Imports that follow the rules: file, specifier, why. */
const allowed: [string, string, string][] = [
  ['internal/program/b.ts', '../systems/btp/module.ts', 'the program is above all'],
  ['internal/program/b.ts', '../framework/base/clock.ts', 'every layer uses base'],
  [
    'internal/program/b.ts',
    '../framework/controller/queue/queue.ts',
    'the program may use parts of the framework',
  ],
  ['internal/systems/btp/b/c.ts', '../service-manager/client.ts', 'systems use their clients'],
  ['internal/systems/btp/b/c.ts', '../../../../apis/g/v1/k.gen.ts', 'and use the types of the API'],
  ['internal/systems/btp/b/c.ts', '../../../framework/managed/index.ts', 'systems use the framework'],
  ['internal/systems/btp/b/c.ts', '../../../framework/controller/index.ts', 'all of it'],
  ['internal/systems/btp/b/c.ts', '../../../framework/process/flag.ts', 'and its flags alone'],
  [
    'internal/systems/btp/b/c.test.ts',
    '../../../framework/managed/fakes/index.ts',
    'and their tests its fakes',
  ],
  ['internal/framework/managed/b.ts', '../controller/queue/queue.ts', 'managed resources have controllers'],
  ['internal/framework/controller/b.ts', '../kube/client.ts', 'controllers use Kubernetes'],
  ['internal/framework/controller/b.ts', '../process/manager.ts', 'and run in a process'],
  [
    'internal/framework/kube/config/program-credentials.ts',
    '@kubernetes/client-node',
    'this file loads the Kubernetes client',
  ],
  [
    'internal/systems/reconciler/mothership/kubeconfigs/c.ts',
    '../../../../framework/kube/client.ts',
    'the mothership opens clusters to check kubeconfigs',
  ],
  [
    'internal/systems/reconciler/mothership/kubeconfigs/c.ts',
    '../../../../framework/process/manager.ts',
    'and runs in a process',
  ],
  ['internal/framework/kube/b.ts', '../http/http.ts', 'API servers speak HTTP'],
  [
    'internal/systems/btp/service-manager/c.ts',
    '../../../framework/http/http.ts',
    'every client of an API uses the HTTP layer',
  ],
  ['internal/systems/btp/service-manager/c.ts', 'undici', 'a dependency'],
  [
    'internal/systems/btp/service-manager/c.test.ts',
    '../../../../test/simulators/hana/server.ts',
    'tests may use simulators',
  ],
  ['internal/framework/base/b.ts', 'node:crypto', 'Node is there'],
  ['internal/framework/base/b.test.ts', 'fast-check', 'tests are not shipped'],
  ['internal/program/c.ts', '@kubernetes/client-node#type', 'types of a package may be used anywhere'],
  ['test/integration/b.ts', '../../hack/build.ts', 'test is no layer'],
  ['hack/demo/b.ts', '../../test/simulators/hana/server.ts', 'nor is hack'],
];

/** Pairs of files that import each other. */
const cycles: [string, string, string][] = [
  ['internal/framework/base/one.ts', 'internal/framework/base/two.ts', ''],
  ['internal/framework/base/three.ts', 'internal/framework/base/four.ts', '#type'],
];

/** Imports against the rules: file, specifier, rule. */
const refused: [string, string, string][] = [
  [
    'internal/systems/btp/service-manager/a.ts',
    '../../../framework/managed/index.ts',
    'imports-of-internal-systems-btp-service-manager',
  ],
  ['internal/framework/process/a.ts', '../kube/client.ts', 'imports-of-internal-framework-process'],
  [
    'internal/framework/process/a.ts',
    '../controller/queue/queue.ts',
    'imports-of-internal-framework-process',
  ],
  [
    'internal/systems/reconciler/mothership/api/a.ts',
    '../../../../framework/controller/queue/queue.ts',
    'imports-of-internal-systems-reconciler-mothership',
  ],
  [
    'internal/systems/reconciler/mothership/api/a.ts',
    '../../../../framework/managed/index.ts',
    'imports-of-internal-systems-reconciler-mothership',
  ],
  [
    'internal/systems/reconciler/mothership/api/a.ts',
    '../../../../program/start.ts',
    'imports-of-internal-systems-reconciler-mothership',
  ],
  ['internal/systems/reconciler/mothership/model/a.ts', '../inventory/b.ts', 'layers-of-mothership-model'],
  ['internal/systems/reconciler/mothership/rollouts.ts', './api/b.ts', 'layers-of-mothership-repositories'],
  ['internal/systems/reconciler/mothership/other/a.ts', '../model/b.ts', 'known-layers-of-mothership'],
  ['internal/framework/controller/a.ts', '../managed/index.ts', 'imports-of-internal-framework-controller'],
  ['internal/framework/module/a.ts', '../../program/main.ts', 'imports-of-internal-framework-module'],
  [
    'internal/systems/btp/service-manager/a.ts',
    '../../../framework/kube/client.ts',
    'imports-of-internal-systems-btp-service-manager',
  ],
  ['internal/systems/btp/a.ts', '../inventory/b.ts', 'imports-of-internal-systems-btp'],
  [
    'internal/systems/reconciler/kyma-cluster/a.ts',
    '../mothership/b.ts',
    'imports-of-internal-systems-reconciler-kyma-cluster',
  ],
  ['internal/templates/helm/a.ts', '../../framework/kube/client.ts', 'imports-of-internal-templates-helm'],
  [
    'internal/framework/managed/a.ts',
    '../../systems/inventory/hana-cloud/client.ts',
    'imports-of-internal-framework-managed',
  ],
  ['internal/framework/managed/a.ts', '../../../apis/g/v1/k.gen.ts', 'imports-of-internal-framework-managed'],
  [
    'internal/framework/managed/a.test.ts',
    '../../systems/a/module.ts',
    'imports-of-internal-framework-managed',
  ],
  ['internal/framework/kube/a.ts', '../managed/index.ts', 'imports-of-internal-framework-kube'],
  ['internal/framework/http/a.ts', '../kube/client.ts', 'imports-of-internal-framework-http'],
  [
    'internal/framework/http/a.ts',
    '../../systems/inventory/hana-cloud/client.ts',
    'imports-of-internal-framework-http',
  ],
  ['internal/framework/base/a.ts', '../kube/client.ts', 'imports-of-internal-framework-base'],
  ['internal/framework/base/a.ts', '../http/http.ts', 'imports-of-internal-framework-base'],
  ['internal/framework/base/c.ts', '../kube/client.ts#type', 'imports-of-internal-framework-base'],
  ['internal/systems/btp/a.ts', '../../program/main.ts', 'imports-of-internal-systems-btp'],
  ['internal/systems/btp/a.ts', '../../framework/controller/queue/queue.ts', 'framework-through-its-index'],
  ['internal/program/a.ts', '../../hack/build.ts', 'imports-of-internal-program'],
  ['internal/program/a.test.ts', '../../hack/build.ts', 'imports-of-internal-program'],
  ['internal/program/a.test.ts', '../../test/integration/world.ts', 'imports-of-internal-program'],
  ['internal/program/a.ts', '../../test/simulators/hana/server.ts', 'simulators-are-for-tests'],
  ['internal/program/a.ts', '@kubernetes/client-node', 'one-kubernetes-client'],
  ['internal/framework/kube/a.ts', '@kubernetes/client-node', 'one-kubernetes-client'],
  ['internal/program/a.ts', 'ajv', 'shipped-packages'],
  ['internal/program/a.ts', 'not-installed', 'shipped-packages'],
  ['internal/utils/a.ts', 'node:fs', 'known-layers'],
  ['apis/g/v1/a.ts', '../../../internal/framework/base/time/clock.ts', 'imports-of-apis'],
  ['apis/g/v1/a.ts', 'undici', 'imports-of-apis'],
  ['apis/g/v1/a.test.ts', '../../../internal/framework/base/time/clock.ts', 'tests-of-apis'],
];

const packages = { undici: true, '@kubernetes/client-node': true, ajv: false, 'fast-check': false };

const folder = temporaryFolder('import-rules-');
const found = new Set<string>();

async function write(path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

beforeAll(async () => {
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

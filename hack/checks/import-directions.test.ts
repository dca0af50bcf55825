import { describe, expect, test } from '@jest/globals';
import { checkImportDirections } from './import-directions.ts';

const DEPENDENCIES = new Set(['undici', '@kubernetes/client-node']);

const check = (tree: Record<string, string>) =>
  checkImportDirections({ files: new Map(Object.entries(tree)), dependencies: DEPENDENCIES });

const checkOne = (path: string, specifier: string) =>
  check({ [path]: `import { x } from '${specifier}';\n` });

describe('an import that follows the direction', () => {
  test.each([
    ['internal/cli/start.ts', '../controllers/a/b.ts', 'the command line stands above all'],
    ['internal/cli/start.ts', '../base/clock.ts', 'base is for everyone'],
    [
      'internal/controllers/inventory/kym/a.ts',
      '../../../clients/hana-cloud/b.ts',
      'controllers join the rooms',
    ],
    [
      'internal/controllers/inventory/kym/a.ts',
      '../../../../apis/inventory/v1/k.gen.ts',
      'and use the types',
    ],
    ['internal/controllers/a/b.ts', '../../runtime/index.ts', 'controllers use the framework'],
    ['internal/controllers/a/b.test.ts', '../../runtime/fakes/index.ts', 'and their tests its fakes'],
    ['internal/runtime/queue/a.ts', '../../kube/client.ts', 'the runtime speaks Kubernetes'],
    ['internal/kube/a.ts', './b.ts', 'a room is one'],
    ['internal/kube/a.ts', '@kubernetes/client-node', 'kube is where the adapter lives'],
    ['internal/clients/hana-cloud/a.ts', 'undici', 'a declared dependency'],
    ['internal/clients/hana-cloud/a.ts', '../../http/x.ts', 'every client of an API uses the HTTP layer'],
    ['internal/kube/a.ts', '../http/x.ts', 'API servers speak HTTP'],
    ['internal/base/a.ts', 'node:crypto', 'Node itself is there'],
    [
      'internal/clients/hana-cloud/a.test.ts',
      '../../../test/simulators/hana-cloud/server.ts',
      'tests may simulate',
    ],
    ['internal/base/a.test.ts', 'fast-check', 'tests are not shipped'],
    ['test/integration/a.ts', '../../hack/x.ts', 'test is no room'],
    ['hack/demo/a.ts', '../../test/simulators/x.ts', 'nor is hack'],
  ])('%s → %s is fine: %s', (path, specifier) => {
    expect(checkOne(path, specifier)).toEqual([]);
  });
});

describe('an import against the direction is refused', () => {
  test.each([
    ['internal/clients/hana-cloud/a.ts', '../../runtime/x.ts', 'clients must not import runtime'],
    ['internal/clients/hana-cloud/a.ts', '../../kube/x.ts', 'clients must not import kube'],
    ['internal/runtime/a.ts', '../clients/x/y.ts', 'runtime must not import clients'],
    ['internal/runtime/a.ts', '../../apis/g/v1/k.gen.ts', 'runtime must not import apis'],
    ['internal/runtime/a.test.ts', '../controllers/g/k/x.ts', 'runtime must not import controllers'],
    ['internal/kube/a.ts', '../runtime/x.ts', 'kube must not import runtime'],
    ['internal/http/a.ts', '../kube/x.ts', 'http must not import kube'],
    ['internal/http/a.ts', '../clients/x/y.ts', 'http must not import clients'],
    ['internal/base/a.ts', '../kube/x.ts', 'base must not import kube'],
    ['internal/base/a.ts', '../http/x.ts', 'base must not import http'],
    ['internal/controllers/g/k/a.ts', '../../../cli/x.ts', 'controllers must not import cli'],
    [
      'internal/controllers/g/a.ts',
      '../../runtime/managed/meta.ts',
      'controllers must import runtime through internal/runtime/index.ts',
    ],
    ['apis/g/v1/k.gen.ts', '../../../internal/base/x.ts', 'apis must not import base'],
    ['apis/g/v1/k.gen.ts', 'undici', 'apis must not import anything'],
    ['internal/cli/a.ts', '../../hack/build.ts', 'outside apis and internal'],
    ['internal/cli/a.test.ts', '../../hack/build.ts', 'outside apis and internal'],
    ['internal/cli/a.test.ts', '../../test/integration/harness/x.ts', 'outside apis and internal'],
    ['internal/cli/a.ts', '../../test/simulators/x.ts', 'only tests may import the simulators'],
    ['internal/cli/main.ts', 'ajv', 'not among the dependencies'],
    ['internal/cli/a.ts', '@kubernetes/client-node/dist/config.js', 'only kube may import'],
    ['internal/cli/a.ts', '../utils/x.ts', 'must not import unknown'],
    ['internal/utils/a.ts', 'node:fs', 'no room of this name'],
  ])('%s → %s: %s', (path, specifier, reason) => {
    expect(checkOne(path, specifier)).toEqual([expect.stringContaining(reason)]);
    expect(checkOne(path, specifier)[0]).toMatch(`${path}:1: `);
  });
});

test('types count for the direction between rooms', () => {
  expect(check({ 'internal/base/a.ts': "import type { X } from '../kube/x.ts';" })).toHaveLength(1);
});

test('types of a package may be used anywhere but in apis', () => {
  const source = "import type { KubeConfig } from '@kubernetes/client-node';";

  expect(check({ 'internal/cli/a.ts': source, 'internal/kube/b.ts': source })).toEqual([]);
  expect(check({ 'apis/a.ts': source })).toHaveLength(1);
});

test('a package for development is refused in what the program reaches, and only there', () => {
  const tree = {
    'internal/cli/main.ts':
      "import { run } from '../runtime/run.ts';\nimport type { T } from '../base/t.ts';",
    'internal/runtime/run.ts': "const lazy = () => import('./lazy.ts');",
    'internal/runtime/lazy.ts': "import Ajv from 'ajv';",
    'internal/runtime/scenario.ts': "import { expect } from '@jest/globals';",
    'internal/base/t.ts': "import fc from 'fast-check';",
  };

  expect(check(tree)).toEqual([expect.stringMatching(/^internal\/runtime\/lazy\.ts:1: ajv is shipped/)]);
});

test('a second file that loads the Kubernetes client is one too many, tests aside', () => {
  const load = "const { KubeConfig } = await import('@kubernetes/client-node');";

  expect(check({ 'internal/kube/a.ts': load, 'internal/kube/a.test.ts': load })).toEqual([]);
  expect(check({ 'internal/kube/b.ts': load, 'internal/kube/a.ts': load })).toEqual([
    expect.stringMatching(/^internal\/kube\/a\.ts and internal\/kube\/b\.ts: only one file/),
  ]);
});

import { expect, test } from '@jest/globals';
import { checkIndexImports } from './index-imports.ts';

const index = [
  'internal/framework/kube/index.ts',
  "export { type KubeObject, keyOf } from './object/object.ts';\n",
];

test.each([
  ["import { keyOf } from '../../framework/kube/object/object.ts';", ['keyOf']],
  ["import type { KubeObject } from '../../framework/kube/object/object.ts';", ['KubeObject']],
  [
    "import {\n  keyOf,\n  type KubeObject,\n} from '../../framework/kube/object/object.ts';",
    ['keyOf', 'KubeObject'],
  ],
  ["import { keyOf } from '../../framework/kube/index.ts';", []],
  ["import { unlisted } from '../../framework/kube/object/object.ts';", []],
  ["import { keyOf } from './object.ts';", []],
])('%s: from the index come %j', (text, names) => {
  const path = 'internal/systems/btp/kind.ts';
  const files = new Map([index as [string, string], [path, `${text}\n`]]);
  expect(checkIndexImports(files)).toEqual(
    names.map(
      (name) =>
        `${path}: import ${name} from internal/framework/kube/index.ts, not from internal/framework/kube/object/object.ts`,
    ),
  );
});

test('tests, and the framework itself, import from any file', () => {
  const text = "import { keyOf } from '../../framework/kube/object/object.ts';\n";
  const files = new Map([
    index as [string, string],
    ['internal/systems/btp/kind.test.ts', text],
    ['internal/framework/managed/kind.ts', text],
  ]);
  expect(checkIndexImports(files)).toEqual([]);
});

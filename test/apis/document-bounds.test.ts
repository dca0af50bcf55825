import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { valueAt } from '../../internal/framework/base/json/json-value.ts';
import {
  bounds,
  counts,
  type TextBound,
} from '../../internal/systems/reconciler/operations/json-documents.ts';

const read = (path: string): unknown => parse(readFileSync(join(import.meta.dirname, '../..', path), 'utf8'));
const api = valueAt(read('apis/reconciler/external.openapi.yaml'), ['components', 'schemas']);
const crd = valueAt(read('apis/reconciler.kyma-project.io/v1alpha1/kymacluster.yaml'), [
  'forProvider',
  'properties',
]);
const component = ['components', 'items', 'properties'];
const configuration = [...component, 'configuration', 'items', 'properties'];

/** Where the document of the REST API and the CRD have a text. */
const texts: readonly {
  bound: keyof typeof bounds;
  rest: string;
  resource: readonly string[];
  prefix?: true;
}[] = [
  { bound: 'runtimeID', rest: 'Cluster/runtimeID', resource: ['runtimeID'] },
  { bound: 'name', rest: 'RuntimeInput/name', resource: ['name'], prefix: true },
  { bound: 'version', rest: 'NewKymaConfig/version', resource: ['version'] },
  { bound: 'profile', rest: 'NewKymaConfig/profile', resource: ['profile'] },
  { bound: 'component', rest: 'NewComponent/component', resource: [...component, 'component'] },
  { bound: 'namespace', rest: 'NewComponent/namespace', resource: [...component, 'namespace'] },
  { bound: 'version', rest: 'NewComponent/version', resource: [...component, 'version'] },
  { bound: 'url', rest: 'NewComponent/URL', resource: [...component, 'url'] },
  { bound: 'key', rest: 'NewConfiguration/key', resource: [...configuration, 'key'] },
  { bound: 'metadata', rest: 'Metadata/region', resource: ['metadata', 'properties', 'region'] },
];

test.each(texts)('$rest has the same bound in the REST API, in the CRD and in the program', (each) => {
  const { maxLength, pattern }: TextBound = bounds[each.bound];
  const [schema = '', field = ''] = each.rest.split('/');
  const inApi = valueAt(api, [schema, 'properties', field]);
  const inCrd = valueAt(crd, each.resource);
  expect(valueAt(inApi, ['maxLength'])).toBe(maxLength);
  // The name of a namespaced resource is registered with its namespace and a slash before it.
  expect(valueAt(inCrd, ['maxLength'])).toBe(each.prefix ? maxLength - 64 : maxLength);
  // Schemas accept the empty text, where it means the default.
  const source = pattern?.source.replace(/^\^(.*)\$$/, each.bound === 'namespace' ? '^($1)?$' : '^$1$');
  expect([valueAt(inApi, ['pattern']), valueAt(inCrd, ['pattern'])]).toEqual([source, source]);
});

test.each([
  { list: 'components', rest: ['NewKymaConfig'], resource: ['components'] },
  { list: 'administrators', rest: ['NewKymaConfig'], resource: ['administrators'] },
  { list: 'configuration', rest: ['NewComponent'], resource: [...component, 'configuration'] },
] as const)('$list has the same length everywhere', ({ list, rest, resource }) => {
  expect(valueAt(api, [...rest, 'properties', list, 'maxItems'])).toBe(counts[list]);
  expect(valueAt(crd, [...resource, 'maxItems'])).toBe(counts[list]);
});

import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { configMaps } from '../../../../framework/kube/index.ts';
import { exactly, hasForeignFields, ownsField, writeManagedFields } from './managed-fields.ts';

const entry = (manager: string, fieldsV1: object, operation = 'Update', subresource = '') => ({
  manager,
  operation,
  subresource,
  fieldsV1,
});
const own = entry('kyma-reconciler', { 'f:spec': { 'f:size': {}, 'f:list': {} } }, 'Apply');
const field = (name: string, inner: object = {}) => ({ 'f:spec': { [name]: inner } });

test.each<[title: string, other: object, foreign: boolean]>([
  ['a field that the chart does not have', entry('kubectl-edit', field('f:color')), true],
  ['an item of a list', entry('kubectl-edit', field('f:map', { 'k:{"name":"a"}': { '.': {} } })), true],
  ['a label', entry('kubectl-label', { 'f:metadata': { 'f:labels': { 'f:a': {} } } }), true],
  ['a field that the chart has as well', entry('kubectl-edit', field('f:size')), false],
  ['a part of a field that the chart owns as a whole', entry('x', field('f:list', { 'v:1': {} })), false],
  ['a finalizer', entry('x', { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a"': {} } } }), false],
  [
    'an owner',
    entry('x', { 'f:metadata': { 'f:ownerReferences': { '.': {}, 'k:{"uid":"a"}': {} } } }),
    false,
  ],
  ['an update of the same field manager', entry('kyma-reconciler', field('f:color')), true],
  ['the status', entry('x', { 'f:status': { 'f:phase': {} } }), false],
  ['a subresource', entry('x', field('f:color'), 'Update', 'scale'), false],
  ['an update of this program', entry('provider-kyma', field('f:color')), false],
  ['a field with the name of a prototype', entry('x', field('constructor')), true],
])('foreign fields: %s', (_title, other, foreign) => {
  expect(hasForeignFields({ metadata: { name: 'a', managedFields: [own, other] } })).toBe(foreign);
});

test.each([
  ['a subresource', entry('kyma-reconciler', field('f:color'), 'Apply', 'scale')],
  ['an update', entry('kyma-reconciler', field('f:color'))],
])('the own entry is that of applies, and not that of %s of the same field manager', (_, other) => {
  const object = { metadata: { name: 'a', managedFields: [other, own] } };
  expect([ownsField(object, ['f:spec', 'f:color']), ownsField(object, ['f:spec', 'f:size'])]).toEqual([
    false,
    true,
  ]);
});

test('the managed fields of an object that was changed since it was read are not replaced', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const { signal } = new AbortController();
  const read = client.seed(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'shop', name: 'a' },
  });
  const { managedFields = [] } = read.metadata;
  await client.otherProgram().mergePatch(configMaps, read.metadata, { data: { a: '1' } });
  await expect(writeManagedFields(client, configMaps, read, { managedFields, signal })).rejects.toMatchObject(
    { kind: 'conflict' },
  );
});

test('the exact object keeps what belongs to the server and to controllers', () => {
  const wanted = {
    apiVersion: 'v1',
    kind: 'A',
    metadata: { name: 'a', labels: { a: 'b' } },
    spec: { size: 1 },
  };
  const live = {
    ...wanted,
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      finalizers: ['f'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'B', name: 'b', uid: 'o' }],
      labels: { c: 'd' },
      annotations: { e: 'f' },
    },
    spec: { size: 1, color: 'red' },
    status: { phase: 'Ready' },
  };
  expect(exactly(wanted, live)).toEqual({
    ...wanted,
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      finalizers: ['f'],
      ownerReferences: live.metadata.ownerReferences,
      labels: { a: 'b' },
    },
    status: { phase: 'Ready' },
  });
});

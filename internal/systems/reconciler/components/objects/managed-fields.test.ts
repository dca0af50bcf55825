import { expect, test } from '@jest/globals';
import { exactly, hasForeignFields } from './managed-fields.ts';

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
  ['the status', entry('x', { 'f:status': { 'f:phase': {} } }), false],
  ['a subresource', entry('x', field('f:color'), 'Update', 'scale'), false],
  ['an update of this program', entry('provider-kyma', field('f:color')), false],
  ['a field with the name of a prototype', entry('x', field('constructor')), true],
])('foreign fields: %s', (_title, other, foreign) => {
  expect(hasForeignFields({ metadata: { name: 'a', managedFields: [own, other] } })).toBe(foreign);
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

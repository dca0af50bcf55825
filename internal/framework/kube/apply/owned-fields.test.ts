import { describe, expect, test } from '@jest/globals';
import { ownedFields, writtenMarks } from './owned-fields.ts';

const entry = (manager: string, fieldsV1: object, operation = 'Apply', subresource?: string) => ({
  manager,
  operation,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(subresource === undefined ? {} : { subresource }),
});

function object(...managedFields: unknown[]) {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Bucket',
    metadata: { name: 'b', labels: { a: '1', b: '2' }, managedFields },
    spec: {
      network: 'n-1',
      subnets: ['s-1', 's-2'],
      options: { size: 3, colour: 'red' },
      ports: [
        { name: 'http', port: 80, note: 'x' },
        { name: 'https', port: 443 },
      ],
      tags: ['a', 'b'],
    },
  };
}

describe('the fields that a manager owns', () => {
  test.each([
    {
      title: 'single values, with what they are now',
      fields: { 'f:spec': { 'f:network': {}, 'f:options': { 'f:size': {} } } },
      want: { spec: { network: 'n-1', options: { size: 3 } } },
    },
    {
      title: 'lists that are replaced as a whole',
      fields: { 'f:spec': { 'f:subnets': {} } },
      want: { spec: { subnets: ['s-1', 's-2'] } },
    },
    {
      title: 'items of lists by their keys, which stay with them',
      fields: { 'f:spec': { 'f:ports': { 'k:{"name":"http"}': { '.': {}, 'f:port': {} } } } },
      want: { spec: { ports: [{ name: 'http', port: 80 }] } },
    },
    {
      title: 'items of sets by themselves',
      fields: { 'f:spec': { 'f:tags': { 'v:"b"': {} } } },
      want: { spec: { tags: ['b'] } },
    },
    {
      title: 'metadata as well',
      fields: { 'f:metadata': { 'f:labels': { 'f:b': {} } } },
      want: { metadata: { labels: { b: '2' } } },
    },
    {
      title: 'but none that are gone by now',
      fields: {
        'f:spec': {
          'f:missing': {},
          'f:ports': { 'k:{"name":"ssh"}': {} },
          'f:network': { 'f:inner': {} },
        },
      },
      want: {},
    },
  ])('$title', ({ fields, want }) => {
    expect(ownedFields(object(entry('me', fields)), 'me')).toEqual(want);
  });

  test('are not those of others, of other operations or of subresources', () => {
    const fields = { 'f:spec': { 'f:network': {} } };
    const others = object(
      entry('you', fields),
      entry('me', fields, 'Update'),
      entry('me', fields, 'Apply', 'status'),
    );
    expect(ownedFields(others, 'me')).toEqual({});
    expect(ownedFields(object(), 'me')).toEqual({});
  });
});

test('labels and annotations that only this program has updated', () => {
  const marks = (labels: object, annotations: object = {}) => ({
    'f:metadata': { 'f:labels': { '.': {}, ...labels }, 'f:annotations': annotations },
  });
  const found = object(
    entry('provider-kyma', marks({ 'f:a': {}, 'f:b': {} }, { 'f:c': {} }), 'Update'),
    entry('kubectl', marks({ 'f:b': {}, 'f:d': {} }), 'Update'),
    entry('provider-kyma', marks({ 'f:e': {} })),
  );
  expect(writtenMarks(found)).toEqual({ labels: new Set(['a']), annotations: new Set(['c']) });
  expect(writtenMarks(object())).toEqual({ labels: new Set(), annotations: new Set() });
});

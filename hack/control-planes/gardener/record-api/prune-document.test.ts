import { expect, test } from '@jest/globals';
import { pruneDocument } from './prune-document.ts';

const reference = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

const document = {
  openapi: '3.0.0',
  info: { title: 'Shop', version: 'v1' },
  paths: { '/orders': {} },
  components: {
    schemas: {
      'com.example.pkg.v1.Order': {
        description: 'Order is an order. It has a second sentence.\n\nAnd a paragraph.',
        type: 'object',
        required: ['item'],
        'x-kubernetes-group-version-kind': [],
        properties: {
          metadata: { default: {}, ...reference('io.k8s.v1.ObjectMeta') },
          item: {
            description: 'What is ordered, e.g. tea',
            default: {},
            ...reference('com.example.pkg.v1.Item'),
          },
          notes: { type: 'array', items: { default: {}, ...reference('io.k8s.v1.Item') } },
          config: reference('io.k8s.runtime.RawExtension'),
          byName: { type: 'object', additionalProperties: reference('com.example.pkg.v1.Order') },
        },
      },
      'com.example.pkg.v1.Item': { type: 'string', default: '', enum: ['tea'] },
      'com.example.pkg.v1.Unused': { type: 'string' },
      'io.k8s.v1.Item': { type: 'integer' },
      'io.k8s.v1.ObjectMeta': { type: 'object' },
      'io.k8s.runtime.RawExtension': { type: 'object' },
    },
  },
};

test('a pruned document has the kinds and what they refer to, under short names', () => {
  expect(pruneDocument(document, ['Order'])).toEqual({
    openapi: '3.1.0',
    info: { title: 'Shop', version: 'v1' },
    paths: {},
    components: {
      schemas: {
        Item: { type: 'string' },
        Order: {
          description: 'Order is an order.',
          type: 'object',
          required: ['item'],
          properties: {
            item: { description: 'What is ordered, e.g. tea', $ref: '#/components/schemas/Item' },
            notes: { type: 'array', items: { $ref: '#/components/schemas/io.k8s.v1.Item' } },
            config: { $ref: '#/components/schemas/RawExtension' },
            byName: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Order' } },
          },
        },
        RawExtension: { type: 'object', additionalProperties: true },
        'io.k8s.v1.Item': { type: 'integer' },
      },
    },
  });
});

test('a kind that the document does not have is an error', () => {
  expect(() => pruneDocument(document, ['Basket'])).toThrow('cannot prune the document: it has no Basket');
});

import { expect, test } from '@jest/globals';
import { insertOpenapiSchemas } from './openapi-schemas.ts';
import { readSource } from './read-source.ts';

const FILE = 'apis/shop.example.org/v1/order.yaml';

const source = (reference: string) => `
kind: Order
plural: orders
managed: false
description: An order.
scopes: [{ scope: Namespaced, group: shop.example.org }]
schema:
  type: object
  properties:
    spec:
      description: What is ordered.
      type: object
      properties:
        item: { ${reference} }
`;

const document = `
components:
  schemas:
    Item:
      description: Item of an order
      type: object
      required: [size]
      properties:
        size: { description: Its size., $ref: '#/components/schemas/Quantity' }
        count: { oneOf: [{ type: integer }, { type: string }] }
        colour: { type: string, enum: [red] }
        notes: { type: object, additionalProperties: { type: string } }
        config: { type: object, additionalProperties: true }
    Quantity: { oneOf: [{ type: string }, { type: number }] }
    Loop: { type: object, properties: { loop: { $ref: '#/components/schemas/Loop' } } }
`;

async function inserted(reference: string, read = async (_path: string) => document) {
  const [order] = readSource(FILE, source(reference));
  if (order === undefined || order.managed) throw new Error('no plain source');
  const { schema } = await insertOpenapiSchemas(order, read);
  return schema.properties?.spec?.properties?.item;
}

test('a schema of another system’s document becomes structural, without its enums', async () => {
  expect(await inserted('$openapi: ../../shop.openapi.yaml#Item, description: The item.')).toEqual({
    description: 'The item.',
    type: 'object',
    required: ['size'],
    properties: {
      size: {
        description: 'Its size.',
        'x-kubernetes-int-or-string': true,
        pattern: expect.stringContaining('KMGTPE'),
      },
      count: { 'x-kubernetes-int-or-string': true },
      colour: { type: 'string' },
      notes: { type: 'object', additionalProperties: { type: 'string' } },
      config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  });
  expect((await inserted('$openapi: ../../shop.openapi.yaml#Item'))?.description).toBe('Item of an order.');
});

test('the path is relative to the source', async () => {
  const read = async (path: string) => {
    expect(path).toBe('apis/shop.openapi.yaml');
    return document;
  };
  expect(await inserted('$openapi: ../../shop.openapi.yaml#Item', read)).toBeDefined();
});

test.each([
  ['$openapi: ../../shop.openapi.yaml#None', 'the document has no None'],
  ['$openapi: ../../shop.openapi.yaml#Loop', 'Loop contains itself'],
  ['$openapi: Item', 'must be a path, # and the name of a schema'],
  ['$openapi: ../../shop.openapi.yaml#Item, type: object', 'unknown key type'],
])('%s is an error of the source', async (reference, problem) => {
  await expect(inserted(reference)).rejects.toThrow(problem);
});

test('a document that cannot be read is an error of the source', async () => {
  const read = async () => {
    throw new Error('ENOENT');
  };
  await expect(inserted('$openapi: ../../shop.openapi.yaml#Item', read)).rejects.toThrow(
    `${FILE}:1:1: $openapi: cannot read apis/shop.openapi.yaml: ENOENT`,
  );
});

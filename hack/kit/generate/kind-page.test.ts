import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { findDrift, writeOutputs } from '../../codegen/outputs.ts';
import { generateProject } from './generate-project.ts';
import { readProject } from './read-project.ts';

const document = {
  openapi: '3.0.0',
  info: { title: 'Shop | <b>', version: '1' },
  servers: [{ url: 'https://shop.example.org' }],
  paths: {
    '/carts': { post: { operationId: 'createCart', ...withBody('Cart') } },
    '/carts/{id}': {
      get: { operationId: 'getCart', ...withResponse('Cart') },
      put: { operationId: 'updateCart', ...withBody('Cart') },
      delete: { operationId: 'deleteCart', responses: { 204: { description: 'gone' } } },
    },
    '/items': { post: { operationId: 'createItem', ...withBody('Item') } },
    '/items/{id}': {
      get: { operationId: 'getItem', ...withResponse('Item') },
      delete: { operationId: 'deleteItem', responses: { 204: { description: 'gone' } } },
    },
  },
  components: {
    schemas: {
      Cart: {
        type: 'object',
        required: ['title'],
        properties: {
          id: { type: 'string', readOnly: true },
          title: {
            type: 'string',
            minLength: 20,
            description: 'Of the cart, see [docs](https://example.org) | <i>.',
          },
          pin: { type: 'string', format: 'password' },
          labels: { type: 'array', uniqueItems: true, items: { type: 'string' } },
          best_item: { type: 'string' },
          note: { type: 'string', writeOnly: true },
          owner: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
          },
        },
      },
      Item: {
        type: 'object',
        required: ['cart_id', 'code', 'owner'],
        properties: {
          id: { type: 'string', readOnly: true },
          secret_key: { type: 'string', readOnly: true },
          cart_id: { type: 'string' },
          code: { type: 'string', format: 'password' },
          owner: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
          },
        },
      },
    },
  },
};
function withResponse(name: string) {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
  return { responses: { 200: { description: 'ok', content } } };
}
function withBody(name: string) {
  const { content } = withResponse(name).responses[200];
  return { requestBody: { content }, ...withResponse(name) };
}

const provider = `name: shop
group: shop.example.org
openapi: openapi.json
api: { authentication: { headers: { X-Key: key, X-App: app } } }
kinds:
  Cart:
    create: createCart
    read: getCart
    update: updateCart
    delete: deleteCart
    fields: { best_item: { reference: Item } }
  Item:
    create: createItem
    read: getItem
    delete: deleteItem
    fields: { cart_id: { reference: Cart } }
    connection: { key: read.secret_key }
`;

const root = temporaryFolder('kit-pages-');
const generate = async () => {
  const { project, outputs } = await generateProject(await readProject(root));
  return { project, outputs };
};
const text = (path: string) => readFile(join(root, path), 'utf8');
beforeAll(async () => {
  await writeFile(join(root, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(root, 'provider.yaml'), provider);
  const { project, outputs } = await generate();
  await writeOutputs(project, outputs);
});

describe('the page of a kind', () => {
  test('has its scopes, its example, and texts of the document without markup', async () => {
    const page = await text('docs/kinds/cart.md');
    expect(page).toContain('| Cluster | `shop.example.org/v1alpha1` | `carts.shop.example.org` |');
    expect(page).toContain('| Namespaced | `shop.m.example.org/v1alpha1` | `carts.shop.m.example.org` |');
    expect(page).toContain('| columns | READY, SYNCED, EXTERNAL-NAME, AGE |');
    expect(page).toContain('A cart of Shop \\| &lt;b>.');
    expect(page).toContain('Of the cart, see [docs\\](https://example.org) \\| &lt;i>.');
    expect(page).toContain('kind: Cart\n');
    expect(await text('docs/kinds/README.md')).toContain('| [Item](item.md) |');
  });

  test.each([
    ['cart', '`title`', '| yes |  |'],
    ['cart', '`pinSecretRef`', 'the value is in a Secret'],
    ['cart', '`pinSecretRef.namespace`', 'scope Cluster only'],
    ['cart', '`labels`', 'the order does not count; late-initialized'],
    ['cart', '`bestItem`', 'refers to Item; late-initialized'],
    ['cart', '`note`', 'its drift is not seen |'],
    ['item', '`owner`', '| yes | cannot be changed |'],
    ['item', '`cartId`', 'refers to Cart; cannot be changed'],
  ])('%s: the row of %s says %s', async (page, field, expected) => {
    const [row = ''] = (await text(`docs/kinds/${page}.md`))
      .split('\n')
      .filter((line) => line.startsWith(`| ${field} |`));
    expect(row).toContain(expected);
  });

  test('has references, connection details and the external name', async () => {
    const page = await text('docs/kinds/item.md');
    expect(page).toContain('| `cartId` | Cart | its external name | `cartIdRef` | `cartIdSelector` |');
    expect(page).toContain('| `key` | `secret_key` | each observation |');
    expect(page).toContain('| `id` | chosen by the API: `id` |');
    expect(page).toContain('- one of cartId, cartIdRef and cartIdSelector is required');
  });
});

describe('an example', () => {
  test('has what is required, values of Secrets, references, and connection details', async () => {
    expect(
      await text('examples/namespaced/item.yaml'),
    ).toBe(`# Generated from provider.yaml by provider-kyma-kit. Do not edit; run \`npx provider-kyma-kit generate\`.
apiVersion: v1
kind: Secret
metadata:
  name: example-values
stringData:
  code: code-1
---
apiVersion: shop.m.example.org/v1alpha1
kind: Item
metadata:
  name: example
spec:
  forProvider:
    cartIdRef:
      name: example
    codeSecretRef:
      name: example-values
      key: code
    owner:
      name: name-1
  writeConnectionSecretToRef:
    name: item-example
  providerConfigRef:
    kind: ProviderConfig
    name: default
`);
  });

  test('has no optional reference to a kind that waits for it', async () => {
    expect(await text('examples/cluster/cart.yaml')).not.toContain('bestItem');
  });

  test('of a ProviderConfig has credentials of the form that the API wants', async () => {
    const example = await text('examples/cluster/providerconfig.yaml');
    expect(example).toContain(`credentials: '{"key":"my-key","app":"my-app"}'`);
    expect(example).toContain('namespace: crossplane-system');
    expect(example).toContain('url: https://shop.example.org');
  });
});

describe('generate', () => {
  const path = 'examples/namespaced/cart.yaml';

  test('keeps a page or an example that the author has made an own one', async () => {
    const written = await text(path);
    const own = written.replace(/^#.*\n/, '').replace('name: example', 'name: mine');
    await writeFile(join(root, path), own);
    const { project, outputs } = await generate();
    expect(await findDrift(project, outputs)).toEqual([]);
    await writeOutputs(project, outputs);
    expect(await text(path)).toBe(own);
    await rm(join(root, path));
    expect(await findDrift(project, (await generate()).outputs)).toEqual([{ path, state: 'missing' }]);
  });

  test('removes those of a kind that is gone', async () => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(
      join(root, 'provider.yaml'),
      provider.replaceAll('Cart:', 'Basket:').replaceAll('reference: Cart', 'reference: Basket'),
    );
    const { project, outputs } = await generate();
    expect(await findDrift(project, outputs)).toEqual(
      expect.arrayContaining([
        { path: 'docs/kinds/cart.md', state: 'left over' },
        { path: 'examples/cluster/cart.yaml', state: 'left over' },
        { path: 'docs/kinds/basket.md', state: 'missing' },
      ]),
    );
  });
});

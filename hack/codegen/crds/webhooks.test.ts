import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import {
  mutatingWebhook,
  validatingWebhook,
} from '../../../internal/framework/controller/webhook/webhook.ts';
import { mergeVersions } from '../source/kinds.ts';
import { readSource } from '../source/read-source.ts';
import { orderPath, orderSource, samplePath, sampleSource } from '../source/sample-source.ts';
import { webhookConfigurations } from './webhooks.ts';

const file = 'apis/shop.example.org/webhooks.yaml';
const kinds = mergeVersions(
  [...readSource(orderPath, orderSource), ...readSource(samplePath, sampleSource())],
  new Map(),
);

const source = `name: shop
output: package/shop/webhooks.yaml
mutating:
  - { name: morder.shop.example.org, kind: Order, operations: [CREATE, UPDATE] }
validating:
  - name: vorder.shop.example.org
    kind: Order
    operations: [CREATE, UPDATE, DELETE]
    failurePolicy: Ignore
    sideEffects: NoneOnDryRun
    matchPolicy: Exact
    timeoutSeconds: 5
    namespaceSelector:
      matchExpressions: [{ key: shop.example.org/closed, operator: DoesNotExist }]
    objectSelector: { matchLabels: { shop.example.org/checked: 'true' } }
  - { name: vbucket.shop.example.org, kind: Bucket, operations: [DELETE], path: /buckets/kept }
`;

const generated = (text: string) => webhookConfigurations(file, text, kinds);
const documents = (text: string): unknown[] =>
  parseAllDocuments(generated(text).yaml).map((document) => document.toJS());

const order = { group: 'shop.example.org', kind: 'Order', plural: 'orders', namespaced: true };
const service = { namespace: 'system', name: 'webhook-service' };
const rule = {
  apiGroups: ['shop.example.org'],
  apiVersions: ['v1'],
  resources: ['orders'],
  scope: 'Namespaced',
};

describe('webhook configurations', () => {
  test('take rules from the kind, and defaults for what the source does not state', () => {
    expect(documents(source)[0]).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'shop' },
      webhooks: [
        {
          name: 'morder.shop.example.org',
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { ...service, path: '/mutate-shop-example-org-v1-order' } },
          rules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }],
          failurePolicy: 'Fail',
          sideEffects: 'None',
          matchPolicy: 'Equivalent',
          timeoutSeconds: 10,
        },
      ],
    });
  });

  test('have everything the source states', () => {
    expect(documents(source)[1]).toMatchObject({
      kind: 'ValidatingWebhookConfiguration',
      webhooks: [
        {
          rules: [{ ...rule, operations: ['CREATE', 'UPDATE', 'DELETE'] }],
          failurePolicy: 'Ignore',
          sideEffects: 'NoneOnDryRun',
          matchPolicy: 'Exact',
          timeoutSeconds: 5,
          namespaceSelector: {
            matchExpressions: [{ key: 'shop.example.org/closed', operator: 'DoesNotExist' }],
          },
          objectSelector: { matchLabels: { 'shop.example.org/checked': 'true' } },
        },
        {
          clientConfig: { service: { ...service, path: '/buckets/kept' } },
          rules: [{ apiVersions: ['v1alpha1'], resources: ['buckets'], scope: 'Cluster' }],
        },
      ],
    });
    const other = source.replace('mutating:', 'service: { namespace: shop, port: 8443 }\nmutating:');
    expect(documents(other)[0]).toMatchObject({
      webhooks: [{ clientConfig: { service: { namespace: 'shop', name: 'webhook-service', port: 8443 } } }],
    });
  });

  test('are written where the source says', () => {
    expect(generated(source).path).toBe('package/shop/webhooks.yaml');
  });

  test.each(['v1', 'v1alpha1'])('name the paths at which the framework serves %s', (version) => {
    const webhook = `[{ name: order.shop.example.org, kind: Order, version: ${version}, operations: [CREATE] }]`;
    const { yaml } = generated(
      `name: shop\noutput: package/shop.yaml\nmutating: ${webhook}\nvalidating: ${webhook}\n`,
    );
    const type = { ...order, version };
    expect(yaml).toContain(`path: ${mutatingWebhook(type, () => undefined).path}\n`);
    expect(yaml).toContain(`path: ${validatingWebhook(type, () => undefined).path}\n`);
  });

  test.each([
    {
      reason: 'a kind that does not exist',
      from: 'kind: Bucket',
      to: 'kind: Basket',
      message: '16:5: kind: the package has no Basket in the group shop.example.org',
    },
    {
      reason: 'a form that is not emitted',
      from: 'kind: Bucket',
      to: 'kind: Bucket, group: shop.m.example.org',
      message: '16:5: kind: the package has no Bucket in the group shop.m.example.org',
    },
    {
      reason: 'a version that is not served',
      from: 'kind: Bucket',
      to: 'kind: Bucket, version: v2',
      message: '16:5: version: v2 of Bucket is not served; served: v1alpha1',
    },
    {
      reason: 'a name that the API server refuses',
      from: 'vbucket.shop.example.org',
      to: 'vbucket.shop',
      message: '16:13: must be a domain name of three or more labels',
    },
    {
      reason: 'a name that is there already',
      from: 'vbucket.',
      to: 'vorder.',
      message: '16:5: name: vorder.shop.example.org is stated twice',
    },
    {
      reason: 'DELETE has no object to change',
      from: '[CREATE, UPDATE] }',
      to: '[CREATE, DELETE] }',
      message: '4:72: must be one of CREATE, UPDATE',
    },
    {
      reason: 'no operation at all',
      from: '[DELETE]',
      to: '[]',
      message: '16:65: must have an entry',
    },
    {
      reason: 'an operation twice',
      from: '[DELETE]',
      to: '[DELETE, DELETE]',
      message: '16:65: must not have an entry twice',
    },
    {
      reason: 'side effects that API servers refuse',
      from: 'NoneOnDryRun',
      to: 'Some',
      message: '10:18: must be one of None, NoneOnDryRun',
    },
    {
      reason: 'longer than API servers wait',
      from: 'timeoutSeconds: 5',
      to: 'timeoutSeconds: 31',
      message: '12:21: must be an integer from 1 to 30',
    },
    {
      reason: 'values that the operator does not take',
      from: 'operator: DoesNotExist',
      to: 'operator: DoesNotExist, values: [a]',
      message: '14:26: values: DoesNotExist takes none',
    },
    {
      reason: 'an operator without its values',
      from: 'operator: DoesNotExist',
      to: 'operator: In',
      message: '14:26: values: In takes at least one',
    },
    {
      reason: 'a mistyped key',
      from: 'failurePolicy',
      to: 'failPolicy',
      message: '9:5: unknown key failPolicy;',
    },
    {
      reason: 'a file outside of package',
      from: 'package/shop/webhooks.yaml',
      to: 'docs/webhooks.yaml',
      message: '2:9: must be a file package/….yaml',
    },
    {
      reason: 'a file among CRDs',
      from: 'package/shop/webhooks.yaml',
      to: 'package/crds/webhooks.yaml',
      message: '2:9: must be a file package/….yaml outside of folders of CRDs',
    },
  ])('are refused with their place: $reason', ({ from, to, message }) => {
    expect(source).toContain(from);
    expect(() => generated(source.replace(from, to))).toThrow(`${file}:${message}`);
  });

  test('are refused for a kind that does not exist', () => {
    expect(() => generated('name: shop\noutput: package/shop.yaml\nmutating: []\n')).toThrow(
      `${file}:1:1: mutating or validating needs an entry`,
    );
  });
});

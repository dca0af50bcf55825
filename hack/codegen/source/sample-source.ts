import { readSource } from './read-source.ts';
import type { Source } from './source.ts';

/** A small source file for tests; `edit` puts in what a test is about. */
export const samplePath = 'apis/shop.example.org/v1alpha1/bucket.yaml';

export function sampleSource(edit: (text: string) => string = (text) => text): string {
  return edit(`kind: Bucket
plural: buckets
managed: true
description: A bucket.
scopes:
  - scope: Cluster
    group: shop.example.org
  - scope: Namespaced
    group: shop.m.example.org
    emit: false
categories: [crossplane, managed, shop]
accepts: [publishConnectionDetailsTo]
columns:
  - { name: REGION, type: string, jsonPath: .spec.forProvider.region }
forProvider:
  description: What the bucket is like.
  type: object
  required: [region]
  properties:
    region:
      description: Where it is.
      type: string
      x-kubernetes-validations:
        - { rule: self == oldSelf, message: region is immutable }
    public:
      description: Whether everybody may read it.
      type: boolean
      default: false
atProvider:
  description: What was found.
  type: object
  properties:
    url:
      description: Where it is reached.
      type: string
`);
}

/** The source of a file that states one version. */
export function onlySource(file: string, text: string): Source {
  const [source, ...others] = readSource(file, text);
  if (source === undefined || others.length > 0) throw new Error(`${file} does not state one version`);
  return source;
}

/** A kind that is no managed resource, served in two versions with one schema, as a source file. */
export const orderPath = 'apis/shop.example.org/v1/order.yaml';

export const orderSource = `kind: Order
plural: orders
managed: false
description: An order.
scopes:
  - { scope: Namespaced, group: shop.example.org }
versions:
  - { name: v1, storage: true }
  - { name: v1alpha1, deprecated: true, deprecationWarning: use shop.example.org/v1 }
shortNames: [ord]
columns:
  - { name: STATUS, type: string, jsonPath: '.status.conditions[0].reason' }
  - { name: READY, type: string, jsonPath: .status.ready }
schema:
  type: object
  required: [spec]
  properties:
    spec:
      description: What is ordered.
      type: object
      required: [item]
      properties:
        item:
          description: The name of the item.
          type: string
          minLength: 1
        parameters:
          description: Whatever the shop takes.
          type: object
          x-kubernetes-preserve-unknown-fields: true
    status:
      description: What became of it.
      type: object
      required: [conditions]
      properties:
        conditions: { $standard: conditions }
        ready:
          description: Whether it was delivered.
          type: string
          enum: ['True', 'False']
`;

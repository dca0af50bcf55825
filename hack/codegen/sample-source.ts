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

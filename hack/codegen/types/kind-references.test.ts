import { describe, expect, test } from '@jest/globals';
import { mergeVersions } from '../source/kinds.ts';
import { onlySource, samplePath, sampleSource } from '../source/sample-source.ts';
import { kindReferences } from './kind-references.ts';

const bucket = (reference: string) =>
  onlySource(
    samplePath,
    sampleSource((sample) =>
      sample
        .replace('      default: false', '')
        .replace('type: boolean', `type: string\n      $reference: ${reference}`),
    ),
  );
const network = (...scopes: string[]) =>
  onlySource(
    'apis/shop.example.org/v1alpha1/network.yaml',
    sampleSource((sample) =>
      sample
        .replace('kind: Bucket\nplural: buckets', 'kind: Network\nplural: networks')
        .replace(/scopes:[\s\S]*?categories/, `scopes: [${scopes.join(', ')}]\ncategories`),
    ),
  );
const cluster = '{ scope: Cluster, group: shop.example.org }';
const namespaced = '{ scope: Namespaced, group: shop.example.org }';

describe('the references of a kind', () => {
  const text = (reference: string, ...scopes: string[]) =>
    kindReferences(bucket(reference), mergeVersions([network(...scopes)], new Map(), 'package/crds'));

  test('name the type of the target, and take its external name', () => {
    expect(text('Network', cluster)).toContain(`export const bucketReferences = [
    {
        field: "public",
        ref: "publicRef",
        selector: "publicSelector",
        many: false,
        value: "external-name",
        to: {
            cluster: { group: "shop.example.org", version: "v1alpha1", kind: "Network", plural: "networks", namespaced: false },
        },
    },
] as const;`);
  });

  test('may be within lists', () => {
    const source = onlySource(
      samplePath,
      sampleSource((sample) =>
        sample.replace(
          'type: boolean\n      default: false',
          'type: array\n      items: { type: object, properties: { net_id: { description: x, type: string, $reference: Network } } }',
        ),
      ),
    );
    const kinds = mergeVersions([network(cluster)], new Map(), 'package/crds');
    expect(kindReferences(source, kinds)).toContain(
      `        within: ["public"],\n        field: "net_id",\n        ref: "netIdRef",\n        selector: "netIdSelector",`,
    );
  });

  test('take another value, if the source says where it is', () => {
    expect(text('{ kind: Network, value: status.atProvider.id }', cluster)).toContain(
      'value: ["status","atProvider","id"],',
    );
  });

  test.each([
    { reference: 'Other', scopes: [cluster], problem: '$reference: Other is no kind of this project' },
    {
      reference: '{ kind: Network, group: other.org }',
      scopes: [cluster],
      problem: 'Network.other.org is no kind of this project',
    },
    {
      reference: 'Network',
      scopes: [namespaced],
      problem: 'a cluster-scoped resource cannot refer to Network, which has namespaces only',
    },
  ])('are refused, with their place: $problem', ({ reference, scopes, problem }) => {
    expect(() => text(reference, ...scopes)).toThrow(problem);
    expect(() => text(reference, ...scopes)).toThrow(`${samplePath}:28:`);
  });

  test('are none for a kind without any', () => {
    expect(kindReferences(network(cluster), [])).toBe('');
  });
});

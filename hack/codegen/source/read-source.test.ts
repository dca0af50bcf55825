import { describe, expect, test } from '@jest/globals';
import { readSource } from './read-source.ts';
import { onlySource, samplePath, sampleSource } from './sample-source.ts';

describe('readSource', () => {
  test('reads a kind with both of its forms', () => {
    const source = onlySource(samplePath, sampleSource());
    expect(source).toMatchObject({
      version: 'v1alpha1',
      managed: true,
      accepts: ['publishConnectionDetailsTo'],
    });
    expect(source.forms).toEqual([
      {
        scope: 'Cluster',
        group: 'shop.example.org',
        kind: 'Bucket',
        plural: 'buckets',
        singular: 'bucket',
        emit: true,
      },
      {
        scope: 'Namespaced',
        group: 'shop.m.example.org',
        kind: 'Bucket',
        plural: 'buckets',
        singular: 'bucket',
        emit: false,
      },
    ]);
  });

  test.each([
    {
      reason: 'a mistyped key at the top would be lost silently',
      from: 'categories:',
      to: 'category:',
      message: `${samplePath}:11:1: unknown key category;`,
    },
    {
      reason: 'a mistyped keyword in a schema would leave the field unchecked',
      from: 'default: false',
      to: 'defualt: false',
      message: `${samplePath}:28:7: unknown key defualt;`,
    },
    {
      reason: 'a mistyped key in a scope would emit what was meant to wait',
      from: 'emit: false',
      to: 'emitted: false',
      message: `${samplePath}:10:5: unknown key emitted;`,
    },
    {
      reason: 'a mistyped key in a rule would change its meaning',
      from: 'message: region',
      to: 'massage: region',
      message: `${samplePath}:24:36: unknown key massage;`,
    },
    {
      reason: 'a field of a mistyped version would be in none',
      from: '      default: false',
      to: '      $versions: [v2]',
      message: `${samplePath}:1:1: $versions: v2 is not a version of this source`,
    },
    {
      reason: 'a required field is missing in some versions',
      from: 'description: Where it is.\n      type: string\n      x-',
      to: 'description: Where it is.\n      $versions: [v1alpha1]\n      type: string\n      x-',
      message: `${samplePath}:18:13: region is required but not all versions have it`,
    },
    {
      reason: 'a key given twice hides one of its values',
      from: 'type: boolean',
      to: 'type: boolean\n      type: string',
      message: `${samplePath}:28:7: Map keys must be unique`,
    },
    {
      reason: 'what only plain kinds have does not belong to a managed one',
      from: 'accepts: [publishConnectionDetailsTo]',
      to: 'schema: { type: object }',
      message: `${samplePath}:12:1: unknown key schema;`,
    },
    {
      reason: 'kubectl explain needs a description of each field',
      from: '      description: Where it is reached.\n',
      to: '',
      message: `${samplePath}:33:5: url has no description;`,
    },
    {
      reason: 'a required field that does not exist makes the kind unusable',
      from: 'required: [region]',
      to: 'required: [regoin]',
      message: `${samplePath}:18:13: regoin is required but is no property`,
    },
    {
      reason: 'the API server would prune all content of such an object',
      from: 'type: boolean\n      default: false',
      to: 'type: object',
      message: `${samplePath}:26:7: an object needs properties,`,
    },
    {
      reason: 'a list without items is refused by the API server later, without a line',
      from: 'type: boolean\n      default: false',
      to: 'type: array',
      message: `${samplePath}:26:7: a list needs items`,
    },
    {
      reason: 'structural schemas need a type',
      from: '      type: boolean\n',
      to: '',
      message: `${samplePath}:26:7: type is missing`,
    },
    {
      reason: 'an unknown type is a slip',
      from: 'type: boolean',
      to: 'type: bool',
      message: `${samplePath}:27:13: must be one of string,`,
    },
    {
      reason: 'folder and content must not disagree about the group',
      from: 'group: shop.example.org',
      to: 'group: store.example.org',
      message: `${samplePath}:1:1: this file belongs to apis/store.example.org/v1alpha1/bucket.yaml`,
    },
    {
      reason: 'a builder could not tell two forms of one name and scope apart',
      from: 'scope: Namespaced',
      to: 'scope: Cluster',
      message: `${samplePath}:8:5: Bucket of scope Cluster is stated twice`,
    },
    {
      reason: 'only what is retired can be accepted as such',
      from: '[publishConnectionDetailsTo]',
      to: '[writeConnectionSecretTo]',
      message: `${samplePath}:12:11: must be one of publishConnectionDetailsTo`,
    },
    {
      reason: 'a kind cannot do without one of its parts',
      from: 'plural: buckets\n',
      to: '',
      message: `${samplePath}:1:1: plural is missing`,
    },
    {
      reason: 'the resolver fills properties of forProvider only',
      from: 'description: Where it is reached.',
      to: 'description: Where it is reached.\n      $reference: Region',
      message: `${samplePath}:30:3: $reference is for properties of forProvider, and of objects and lists within it`,
    },
    {
      reason: 'an ID is a text',
      from: 'type: boolean\n      default: false',
      to: 'type: boolean\n      $reference: Region',
      message: `${samplePath}:26:7: only a string, or a list of strings, can be a $reference`,
    },
    {
      reason: 'YAML itself may be broken',
      from: 'kind: Bucket',
      to: 'kind: [Bucket',
      message: /bucket\.yaml:2:1: Flow sequence [^\n]* end with a \]$/,
    },
  ])('refuses what cannot be meant, with its place: $reason', ({ from, to, message }) => {
    const text = sampleSource((sample) => sample.replace(from, to));
    expect(text).not.toBe(sampleSource());
    expect(() => readSource(samplePath, text)).toThrow(message);
  });
});

import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { parseDocuments } from './kubernetes-documents.ts';
import { packageStream } from './package-stream.ts';

const meta = (name = 'provider-x') =>
  `apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: { name: ${name} }\n`;
const crd = (name = 'things.example.org', more = '') =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: ${name} }\n${more}`;
const stream = (...texts: string[]) =>
  packageStream(texts.flatMap((text, index) => parseDocuments(`file-${index}.yaml`, text)));

test('the meta object comes first, with a separator before and after each document', () => {
  const documents = stream(crd('a.example.org'), meta(), crd('b.example.org')).split(/^---\n/m);

  expect(documents[0]).toBe('');
  expect(documents.at(-1)).toBe('');
  expect(documents.slice(1, -1).map((text) => parse(text).metadata.name)).toEqual([
    'provider-x',
    'a.example.org',
    'b.example.org',
  ]);
});

test.each([
  ['no meta object', [crd()], /of 0 objects/],
  ['two meta objects', [meta('a'), meta('b')], /of 2 objects/],
  [
    'a kind that Crossplane refuses',
    [meta(), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }'],
    /ConfigMap x/,
  ],
  [
    'a kind of packages of other types',
    [meta(), 'apiVersion: apiextensions.crossplane.io/v1\nkind: Composition'],
    /Composition/,
  ],
  ['the same CRD twice', [meta(), crd(), crd()], /things\.example\.org is there twice/],
])('refuses %s', (_reason, texts, message) => {
  expect(() => stream(...texts)).toThrow(message);
});

test('quotes words that a YAML 1.1 parser takes for booleans', () => {
  expect(stream(meta(), crd('x', "spec: { values: ['yes', 'on', 'plain'] }"))).toMatch(
    /- "yes"\n\s+- "on"\n\s+- plain/,
  );
});

test('leaves out empty documents, and names a file that is no YAML', () => {
  expect(parseDocuments('x.yaml', `# nothing\n---\n${meta()}---\n# nothing\n`)).toHaveLength(1);
  expect(() => parseDocuments('x.yaml', 'a: [')).toThrow(/cannot parse x\.yaml/);
});

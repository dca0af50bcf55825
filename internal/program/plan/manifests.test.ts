import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolders } from '../../framework/base/temporary-folder.fixture.ts';
import { parseManifests, readManifests } from './manifests.ts';

const folder = temporaryFolders('manifests-');

const thing = (name: string) => `apiVersion: v1\nkind: Thing\nmetadata: {name: ${name}}\n`;
const summaries = (manifests: Awaited<ReturnType<typeof readManifests>>) =>
  manifests.map(({ object, source }) => [object.metadata.name, source.replace(`${folder()}/`, '')]);

test('reads files in order, folders by name, and standard input for -', async () => {
  for (const name of ['b', 'd', 'c']) await writeFile(join(folder(), `${name}.yaml`), thing(name));
  await writeFile(
    join(folder(), 'a.json'),
    JSON.stringify({ apiVersion: 'v1', kind: 'T', metadata: { name: 'a' } }),
  );
  await writeFile(join(folder(), 'notes.txt'), 'not: [yaml');
  const stdin = Readable.from([Buffer.from(thing('piped'))]);
  expect(summaries(await readManifests(['-', folder()], stdin))).toEqual([
    ['piped', 'stdin:1'],
    ['a', 'a.json:1'],
    ['b', 'b.yaml:1'],
    ['c', 'c.yaml:1'],
    ['d', 'd.yaml:1'],
  ]);
});

describe('the manifests of a text', () => {
  test('documents with their first line; empty ones are skipped', () => {
    const text = `# a comment\n---\n${thing('a')}---\n# nothing\n---\nnull\n---\n${thing('b')}`;
    expect(summaries(parseManifests(text, 'x.yaml'))).toEqual([
      ['a', 'x.yaml:3'],
      ['b', 'x.yaml:11'],
    ]);
    expect(parseManifests('', 'x')).toEqual([]);
  });

  test('lists and nested lists are split into items', () => {
    const inner = {
      apiVersion: 'v1',
      kind: 'ThingList',
      items: [{ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'b' } }],
    };
    const items = [{ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } }, inner];
    expect(summaries(parseManifests(JSON.stringify({ kind: 'List', items }), 'x'))).toEqual([
      ['a', 'x:1'],
      ['b', 'x:1'],
    ]);
  });

  test('scalars and merge keys are read as kubectl does', () => {
    const text = `${thing('a')}base: &base {x: 1}\nspec: {<<: *base, flag: yes, octal: 0755, day: 2026-01-31, time: 1:20}\n`;
    expect(parseManifests(text, 'x')[0]?.object).toMatchObject({
      spec: { x: 1, flag: true, octal: 0o755, day: '2026-01-31', time: '1:20' },
    });
  });

  test.each([
    { text: 'just a word', why: /x:1: it is no Kubernetes object/ },
    { text: 'apiVersion: v1\nkind: Thing\n', why: /x:1: it is no Kubernetes object/ },
    {
      text: 'data:\n  password: *S3cret',
      why: /^cannot read x:1: it has an alias without an anchor, or too many/,
    },
    { text: `${thing('a')}---\na: [b`, why: /x:\d: it is not valid YAML \([A-Z_]+\)/ },
  ])('$text is refused with file and line, without content', ({ text, why }) => {
    expect(() => parseManifests(text, 'x')).toThrow(why);
  });
});

test('a file that cannot be read is named in the error', async () => {
  await expect(readManifests([join(folder(), 'no')], undefined)).rejects.toThrow(
    /cannot read .*\/no: ENOENT/,
  );
  await expect(readManifests(['-'], undefined)).rejects.toThrow('cannot read standard input: there is none');
});

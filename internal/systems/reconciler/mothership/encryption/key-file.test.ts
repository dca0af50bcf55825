import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createKeyFile, readKeys, replaceKeys } from './key-file.ts';
import { newKey } from './keyring.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keys-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('keys are replaced after a change that was killed, whose rest is removed', async () => {
  const path = join(folder, 'key');
  const [old, added] = [newKey(), newKey()];
  await writeFile(path, `${old}\n`);
  await writeFile(`${path}.${process.pid}.new`, '');
  await replaceKeys(path, [added, old]);
  expect(await readFile(path, 'utf8')).toBe(`${added}\n${old}\n`);
  expect(await readdir(folder)).toEqual(['key']);
});

test('a file is made once, complete, by many at the same moment', async () => {
  const path = join(folder, 'made', 'key');
  const made = await Promise.all(Array.from({ length: 8 }, () => createKeyFile(path)));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await readKeys(path)).toHaveLength(1);
  expect(await readdir(join(folder, 'made'))).toEqual(['key']);
});

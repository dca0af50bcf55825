import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolders } from '../../../../framework/base/temporary-folder.fixture.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createKeyFile, KEY_FILE_INTERVAL_MS, openKeyFile, readKeys, replaceKeys } from './key-file.ts';
import { createKeyring, newKey } from './keyring.ts';

const folder = temporaryFolders('keys-');

test('keys are replaced after a change that was killed, whose rest is removed', async () => {
  const path = join(folder(), 'key');
  const [old, added] = [newKey(), newKey()];
  await writeFile(path, `${old}\n`);
  await writeFile(`${path}.${process.pid}.new`, '');
  await replaceKeys(path, [added, old]);
  expect(await readFile(path, 'utf8')).toBe(`${added}\n${old}\n`);
  expect(await readdir(folder())).toEqual(['key']);
});

test('a file is made once, complete, by many at the same moment', async () => {
  const path = join(folder(), 'made', 'key');
  const made = await Promise.all(Array.from({ length: 8 }, () => createKeyFile(path)));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await readKeys(path)).toHaveLength(1);
  expect(await readdir(join(folder(), 'made'))).toEqual(['key']);
});

test('only its owner can read a file with keys', async () => {
  const path = join(folder(), 'key');
  const mode = async () => (await stat(path)).mode & 0o777;
  await createKeyFile(path);
  expect(await mode()).toBe(0o600);
  await replaceKeys(path, [newKey()]);
  expect(await mode()).toBe(0o600);
});

test('a process follows its file, at once for a key that it does not know, and keeps its keys while the file is broken', async () => {
  const path = join(folder(), 'key');
  const [old, added] = [newKey(), newKey()];
  const idOf = (key: string) => createKeyring([key]).currentId;
  await writeFile(path, `${old}\n`);
  const clock = createFakeClock();
  const keyring = await openKeyFile(path, clock);
  const sealed = keyring.encrypt('text', 'purpose');
  await replaceKeys(path, [added, old]);
  expect(keyring.currentId).toBe(idOf(old));
  expect(keyring.decrypt(createKeyring([added]).encrypt('other', 'purpose'), 'purpose')).toBe('other');
  expect(keyring.currentId).toBe(idOf(added));
  await writeFile(path, 'broken\n');
  await clock.advance(KEY_FILE_INTERVAL_MS);
  expect([keyring.decrypt(sealed, 'purpose'), keyring.ids]).toEqual(['text', [added, old].map(idOf)]);
  await writeFile(path, `${old}\n`);
  await clock.advance(KEY_FILE_INTERVAL_MS);
  expect(keyring.ids).toEqual([idOf(old)]);
});

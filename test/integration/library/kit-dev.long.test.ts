/** `provider-kyma-kit dev` as an author runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

const NOTES = join(import.meta.dirname, '../../../docs/authors/notes.openapi.yaml');

let author: AuthorFolder;
let project: string;
beforeAll(async () => {
  author = await createAuthorFolder();
  project = join(author.path, 'provider-notes');
  const args = ['init', 'notes', '--group', 'notes.example.org', '--openapi', NOTES, '--kind', 'Folder'];
  expect(await author.kit(args)).toMatchObject({ code: 0 });
});
afterAll(() => author.remove());

test('the provider runs, runs again with a change of provider.yaml, goes on after a mistake, and ends with all of it', async () => {
  const command = join(author.path, 'node_modules/provider-kyma/dist/lib/hack/kit/command.js');
  const dev = spawn(process.execPath, [command, 'dev'], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(dev, 'exit');
  const says = (text: string | RegExp) =>
    eventually(() => expect(output).toMatch(text), { timeoutMs: 90_000 });
  try {
    await says('"managed/folder.notes.m.example.org","msg":"controller started"');
    const kubeconfig = /^export KUBECONFIG=(.*)$/m.exec(output)?.[1] ?? '';
    expect(existsSync(kubeconfig)).toBe(true);
    expect(await readFile(join(project, 'dev.env.yaml'), 'utf8')).toContain('"kind": "ProviderConfig"');

    const file = join(project, 'provider.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('create: POST /folders\n', 'create: POST /folder\n'));
    await says(/provider\.yaml:\d+:\d+: unknown operation POST \/folder/);
    // A manifest of the author is no part of the provider.
    await writeFile(join(project, 'manifest.yaml'), 'kind: Folder\n');
    await writeFile(file, text.replace('  Folder:\n', '  Box:\n'));
    await says('provider.yaml changed: started again');
    await says('"managed/box.notes.m.example.org","msg":"controller started"');

    expect(output).not.toContain('manifest.yaml changed');

    dev.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(dirname(kubeconfig))).toBe(false);
  } finally {
    dev.kill('SIGKILL');
  }
}, 240_000);

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MockAgent } from 'undici';
import { downloadServer, releaseOf } from '../../../hack/control-planes/binaries/download.ts';

let root: string;
let web: MockAgent;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'etcd-download-test-'));
  web = new MockAgent();
  web.disableNetConnect();
});

afterEach(async () => {
  await web.close();
  await rm(root, { recursive: true, force: true });
});

test('only the binary is kept of etcd’s archive', async () => {
  const release = releaseOf('etcd', 'linux', 'x64');
  const { pathname } = new URL(release.url);
  const folder = release.member?.split('/')[0] ?? '';
  await mkdir(join(root, folder));
  for (const file of ['etcd', 'etcdctl', 'README.md'])
    await writeFile(join(root, folder, file), `the ${file}`);
  expect(spawnSync('tar', ['-czf', 'archive', folder], { cwd: root }).status).toBe(0);
  const archive = await readFile(join(root, 'archive'));
  const checksum = createHash('sha256').update(archive).digest('hex');
  const checksums = `${'0'.repeat(64)}  another.tar.gz\n${checksum}  ${release.checksumName}\n`;
  const site = web.get('https://github.com');
  site.intercept({ path: new URL(release.checksumUrl).pathname }).reply(200, checksums);
  // As GitHub does: the file lies on another host.
  site.intercept({ path: pathname }).reply(302, '', { headers: { location: 'https://files.example/x' } });
  web.get('https://files.example').intercept({ path: '/x' }).reply(200, archive);
  const directory = join(root, 'bin');
  await mkdir(directory);

  await downloadServer('etcd', directory, {
    report: () => undefined,
    dispatcher: web,
    platform: 'linux',
    arch: 'x64',
  });

  expect(await readdir(directory)).toEqual(['etcd']);
  expect(await readFile(join(directory, 'etcd'), 'utf8')).toBe('the etcd');
});

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../framework/base/temporary-folder.fixture.ts';
import { createAuditLog, createLineFile } from './audit-log.ts';

const folder = temporaryFolder('audit-');

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };

test('[R65] a line has user, tenant, category and request, and neither kubeconfig nor secret values', async () => {
  const lines: string[] = [];
  const file = { append: async (line: string) => void lines.push(line) };
  const log = createAuditLog({ clock, file, tenant: 'tenant-1' });
  const configuration = [
    { key: 'a', value: 'hidden', secret: true },
    { key: 'b', value: 'shown', secret: false },
  ];
  const body = JSON.stringify({
    runtimeID: 'r',
    KubeConfig: 'hidden',
    kymaConfig: { components: [{ configuration, URL: 'https://me:hidden@git.example/charts.git' }] },
  });
  await log.write({ contract: 1, method: 'POST', uri: '/v1/clusters', body, user: 'me' });
  await log.write({ contract: 1, method: 'DELETE', uri: '/v1/clusters/r', body: '', user: undefined });
  await log.write({
    contract: 1,
    method: 'PUT',
    uri: '/v1/clusters?access_token=hidden',
    body: 'kubeconfig: hidden',
    user: 'me',
  });
  const [first, second, third] = lines.map((line) => JSON.parse(line));
  expect(first).toEqual({
    level: 'info',
    time: '2026-01-02T03:04:05.000Z',
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    user: 'me',
    tenant: 'tenant-1',
    category: 'audit.security-events',
    data: expect.any(String),
  });
  const { requestBody, ...request } = JSON.parse(first.data);
  expect(request).toEqual({
    contractVersion: 1,
    method: 'POST',
    uri: '/v1/clusters',
    user: 'me',
    tenant: 'tenant-1',
  });
  expect(JSON.parse(requestBody)).toMatchObject({ runtimeID: 'r', KubeConfig: 'REDACTED' });
  expect(requestBody).toContain('shown');
  expect(requestBody).toContain('git.example/charts.git');
  expect(second).toMatchObject({ user: 'UNKNOWN_USER' });
  expect(JSON.parse(third.data).requestBody).toBe('not JSON, 18 bytes');
  expect(lines.join()).not.toContain('hidden');
});

test.each<[what: string, body: object]>([
  ['a value that is secret, by a text', { configuration: [{ key: 'a', value: 'hidden', secret: 'true' }] }],
  ['a value that is secret, by a number', { configuration: [{ key: 'a', value: 'hidden', secret: 1 }] }],
  ['a value that is secret, in capitals', { configuration: [{ KEY: 'a', VALUE: 'hidden', SECRET: true }] }],
  [
    'a value that is secret, of several levels',
    { configuration: [{ key: 'a', value: { b: ['hidden'] }, secret: true }] },
  ],
  ['a value whose key says what it is', { configuration: [{ key: 'global.db.password', value: 'hidden' }] }],
  [
    'a field that says what it is',
    { metadata: { clientSecret: 'hidden', apiKey: 'hidden', accessToken: 'hidden' } },
  ],
  ['a kubeconfig that is an object', { kubeconfig: { users: [{ user: { token: 'hidden' } }] } }],
  ['a kubeconfig in another text', { description: 'users:\n- user:\n    token: hidden\n' }],
  ['a URL with a user', { URL: 'oci://me:hidden@registry.example/chart:1' }],
  ['a URL with a token alone', { URL: 'https://hidden@git.example/charts.git' }],
  ['a URL with a query of GitLab', { URL: 'https://git.example/charts.tgz?private_token=hidden' }],
  [
    'a URL that is signed',
    { URL: 'https://s3.example/charts.tgz?X-Amz-Credential=a&X-Amz-Signature=hidden' },
  ],
])('a line has no credentials of %s', async (_, body) => {
  const lines: string[] = [];
  const file = { append: async (line: string) => void lines.push(line) };
  const log = createAuditLog({ clock, file, tenant: 'tenant-1' });
  await log.write({
    contract: 1,
    method: 'POST',
    uri: '/v1/clusters',
    body: JSON.stringify(body),
    user: 'me',
  });
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toContain('hidden');
});

describe('the file', () => {
  test('is replaced when it has grown; the newest backups stay', async () => {
    let now = clock.now();
    const path = join(folder, 'rotated', 'audit.log');
    const file = createLineFile({ path, clock: { now: () => now }, maxBytes: 25, maxBackups: 2 });
    for (const line of [
      'first line',
      'second line',
      'third line',
      'fourth line',
      'fifth line',
      'sixth line',
      'seventh line',
    ]) {
      now += 1000;
      await file.append(line);
    }
    await file.close();
    const names = (await readdir(join(folder, 'rotated'))).sort();
    expect(names).toEqual([
      'audit-2026-01-02T03-04-10.000Z.log',
      'audit-2026-01-02T03-04-12.000Z.log',
      'audit.log',
    ]);
    expect(await readFile(path, 'utf8')).toBe('seventh line\n');
    expect(await readFile(join(folder, 'rotated', names[1] ?? ''), 'utf8')).toBe('fifth line\nsixth line\n');
  });

  test('old backups are removed by their age', async () => {
    let now = clock.now();
    const path = join(folder, 'aged', 'audit.log');
    const file = createLineFile({ path, clock: { now: () => now }, maxBytes: 5, maxAgeMs: 1500 });
    for (const line of ['one', 'two', 'three', 'four']) {
      now += 1000;
      await file.append(line);
    }
    await file.close();
    expect(await readdir(join(folder, 'aged'))).toHaveLength(3);
  });

  test('that several processes replace at the same moment loses no line', async () => {
    const path = join(folder, 'shared', 'audit.log');
    const limits = { maxBytes: 20, maxBackups: 1000 };
    const files = Array.from({ length: 4 }, () => createLineFile({ path, clock, ...limits }));
    const lines = files.flatMap((_, process) => Array.from({ length: 25 }, (_, n) => `${process} ${n}`));
    await Promise.all(lines.map((line) => files[Number(line[0])]?.append(line)));
    await Promise.all(files.map((file) => file.close()));
    const names = await readdir(dirname(path));
    const texts = await Promise.all(names.map((name) => readFile(join(dirname(path), name), 'utf8')));
    expect(texts.join('').trim().split('\n').sort()).toEqual(lines.toSorted());
  });

  test('that another program has moved is made again', async () => {
    const path = join(folder, 'moved.log');
    const file = createLineFile({ path, clock });
    await file.append('one');
    await rename(path, `${path}.1`);
    await file.append('two');
    await rename(path, `${path}.2`);
    // Another process has made the next one.
    await writeFile(path, 'theirs\n');
    await file.append('three');
    await file.close();
    expect(await Promise.all([`${path}.1`, `${path}.2`, path].map((each) => readFile(each, 'utf8')))).toEqual(
      ['one\n', 'two\n', 'theirs\nthree\n'],
    );
  });

  test('that cannot be written fails each time, until it can', async () => {
    const path = join(folder, 'blocked.log');
    await mkdir(path);
    const file = createLineFile({ path, clock });
    await expect(file.append('one')).rejects.toThrow('EISDIR');
    await expect(file.append('two')).rejects.toThrow('EISDIR');
    await rm(path, { recursive: true });
    await file.append('three');
    expect(await readFile(path, 'utf8')).toBe('three\n');
    await file.close();
  });
});

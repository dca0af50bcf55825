import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { readGitHistory } from '../../../hack/release/git-history.ts';
import { temporaryFolder } from '../../../internal/framework/base/temporary-folder.fixture.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Whole releases, possibly on a busy machine. */
jest.setTimeout(300_000);

const folder = temporaryFolder('release-');
/** A program of the system, as users have it. */
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: join(folder, 'release'), encoding: 'utf8' });
const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false', ...args],
    {
      cwd,
      encoding: 'utf8',
    },
  );
const release = (...args: string[]) =>
  spawnSync(process.execPath, [join(folder, 'checkout/hack/release/main.ts'), ...args], { encoding: 'utf8' });

/** The work tree as a commit of its own: it may have uncommitted changes. */
async function makeCheckout(checkout: string): Promise<void> {
  const files = git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  for (const file of files.split('\0').filter((name) => existsSync(join(ROOT, name)) && name !== '')) {
    const [from, to] = [join(ROOT, file), join(checkout, file)];
    await mkdir(dirname(to), { recursive: true });
    // Nothing writes to them. Copies, where the temporary folder is on another file system.
    await link(from, to).catch(() => copyFile(from, to));
  }
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  git(checkout, 'init', '--quiet');
  // What git has of these files, it need not write again.
  const objects = git(ROOT, 'rev-parse', '--path-format=absolute', '--git-path', 'objects');
  await writeFile(join(checkout, '.git/objects/info/alternates'), objects);
  // A pattern for a folder, as in .gitignore, does not stand for a link.
  await writeFile(join(checkout, '.git/info/exclude'), 'node_modules\n');
  git(checkout, 'add', '--all');
  git(checkout, 'commit', '--quiet', '--message', 'All');
}

function make(name: string): void {
  const place = [`--signing-key=${join(folder, 'key.pem')}`, `--output=${join(folder, name)}`];
  const result = release('--version=v9.8.7', ...place);
  if (result.status !== 0) throw new Error(result.stderr);
}

beforeAll(async () => {
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem')]);
  await makeCheckout(join(folder, 'checkout'));
  make('release');
});

test('a release is complete', async () => {
  expect((await readdir(join(folder, 'release'))).sort()).toEqual([
    'CHANGELOG.md',
    'SHA256SUMS',
    'SHA256SUMS.sig',
    'crds.yaml',
    'infrastructure-manager-9.8.7.tgz',
    'package.yaml',
    'provider-kyma-oci.tar',
    'provider-kyma.cdx.json',
    'provider-kyma.mjs',
    'provider-kyma.pub',
    'provider-kyma.xpkg',
    'reconciler-9.8.7.tgz',
    'sap-btp-operator-9.8.7.tgz',
  ]);
});

test('sha256sum agrees with every checksum, and openssl with the signature on them', async () => {
  expect(run('sha256sum', '--check', '--strict', 'SHA256SUMS').trim().split('\n')).toHaveLength(10);

  const signature = Buffer.from(await readFile(join(folder, 'release/SHA256SUMS.sig'), 'utf8'), 'base64');
  await writeFile(join(folder, 'signature'), signature);
  const verified = run(
    'openssl',
    ...['pkeyutl', '-verify', '-pubin', '-inkey', 'provider-kyma.pub', '-rawin', '-in', 'SHA256SUMS'],
    ...['-sigfile', join(folder, 'signature')],
  );
  expect(verified).toMatch(/Verified Successfully/);
});

test('the bundle runs and prints its version, which package, layout and SBOM have too', async () => {
  expect(run(process.execPath, 'provider-kyma.mjs', '--version')).toBe('9.8.7\n');
  const bill = JSON.parse(await readFile(join(folder, 'release/provider-kyma.cdx.json'), 'utf8'));
  expect(bill.metadata.component.version).toBe('9.8.7');
  const index = JSON.parse(run('tar', '-xOf', 'provider-kyma-oci.tar', 'index.json'));
  const [{ digest, annotations }] = index.manifests;
  expect(annotations).toEqual({ 'org.opencontainers.image.ref.name': 'v9.8.7' });
  const manifest = JSON.parse(
    run('tar', '-xOf', 'provider-kyma-oci.tar', `blobs/${digest.replace(':', '/')}`),
  );
  expect(manifest.annotations['org.opencontainers.image.version']).toBe('9.8.7');
});

test('the same commit, released again elsewhere, is the same to the byte', () => {
  make('again');

  expect(run('diff', '-r', '.', join(folder, 'again'))).toBe('');
});

test('a version that is no valid image tag or Crossplane version is refused', () => {
  const { status, stderr } = release('--version=latest', `--output=${join(folder, 'none')}`);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'release: cannot release version "latest": want one like v1.2.3 or v1.2.3-rc.1\n',
  });
});

test('a work tree that differs from its commit is refused', async () => {
  const change = join(folder, 'checkout/change');
  await writeFile(change, '');
  try {
    const { status, stderr } = release('--version=v9.8.7', `--output=${join(folder, 'none')}`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'release: cannot release v9.8.7: 1 files differ from the commit (git status)\n',
    });
  } finally {
    await rm(change);
  }
});

test('the history starts at the previous release, and has the uncommitted files', async () => {
  const root = join(folder, 'repository');
  await mkdir(root);
  git(root, 'init', '--quiet');
  const commit = (subject: string) => git(root, 'commit', '--quiet', '--allow-empty', '--message', subject);
  commit('One');
  expect(await readGitHistory(root, 'v1.0.0')).toMatchObject({ previousTag: undefined, uncommitted: [] });
  git(root, 'tag', 'v1.0.0');
  git(root, 'tag', 'unrelated');
  commit('Two');
  commit('Three');
  git(root, 'tag', 'v1.1.0');
  await writeFile(join(root, 'file'), '');

  const { previousTag, commits, uncommitted } = await readGitHistory(root, 'v1.1.0');

  expect(previousTag).toBe('v1.0.0');
  expect(commits.map(({ subject }) => subject)).toEqual(['Three', 'Two']);
  expect(commits[0]?.id).toMatch(/^[0-9a-f]{12}$/);
  expect(uncommitted).toEqual(['?? file']);
  await expect(readGitHistory(root, 'v1.0.0')).rejects.toThrow(
    /cannot release v1\.0\.0: the tag is set, at commit/,
  );
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { parseDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import { temporaryFolder } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { type Crd, installCrds } from '../../environment/install-crds.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';

const MAIN = join(import.meta.dirname, '../../../hack/xpkg/main.ts');

/** Whole builds, possibly on a busy machine. */
jest.setTimeout(300_000);

const folder = temporaryFolder('package-');
/** What the first build printed. */
let said: string;
const build = (output: string) =>
  execFileSync(process.execPath, [MAIN, '--output', output], { encoding: 'utf8' });
/** A program of the system, as users have it. */
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, maxBuffer: 64e6 }).toString('utf8');

beforeAll(async () => {
  said = build(join(folder, 'built'));
});

test('reports that nothing would run, where no runtime image is given', () => {
  expect(said).toMatch(/no runtime image is embedded/);
});

test('tar reads the package, and the digest of every part matches its name', () => {
  const [manifest] = JSON.parse(run('tar', '-xOf', 'built/provider-kyma.xpkg', 'manifest.json'));
  run('tar', '-xf', 'built/provider-kyma.xpkg');

  expect(run('sha256sum', manifest.Config)).toContain(manifest.Config.slice('sha256:'.length));
  for (const layer of manifest.Layers) {
    expect(run('sha256sum', layer)).toContain(layer.slice(0, -'.tar.gz'.length));
  }
  const { rootfs } = JSON.parse(run('cat', manifest.Config));
  const [base, examples] = manifest.Layers;
  run('gzip', '-dk', base);
  expect(run('sha256sum', base.slice(0, -'.gz'.length))).toContain(
    rootfs.diff_ids[0].slice('sha256:'.length),
  );
  expect(run('tar', '-tvzf', base)).toMatch(/^-rw-r--r-- 0\/0 .* package\.yaml\n$/);
  expect(run('tar', '-xOzf', base)).toBe(run('cat', 'built/package.yaml'));
  expect(run('tar', '-tzf', examples)).toBe('.up/examples.yaml\n');
});

test('two builds in two processes are the same to the byte', () => {
  build(join(folder, 'again'));

  expect(run('diff', '-r', 'built', 'again')).toBe('');
});

test('a real API server accepts every CRD of the package, strictly, and serves its kind', async () => {
  const { management } = await controlPlanes();
  const objects = parseDocuments('package.yaml', run('cat', 'built/package.yaml'));
  const crds = objects
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .map(({ content }) => content as Crd);

  const installed = (await installCrds(management, crds)) as Crd[];

  expect(crds).toHaveLength(objects.length - 1);
  expect(installed.map(({ metadata }) => metadata.name)).toEqual(crds.map(({ metadata }) => metadata.name));
  for (const { metadata, status } of installed as (Crd & { status: { conditions: Condition[] } })[]) {
    const schema = status.conditions.find(({ type }) => type === 'NonStructuralSchema');
    expect([metadata.name, schema]).toEqual([metadata.name, undefined]);
  }
});

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** What a build takes from others: actions, packages and base images. */
import { glob, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');
const workflows: [path: string, text: string][] = [];
for await (const path of glob('.github/workflows/*.yml', { cwd: root }))
  workflows.push([path, await read(path)]);

interface Package {
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
}
const packagesIn = async (path: string): Promise<[name: string, found: Package][]> =>
  Object.entries<Package>(JSON.parse(await read(path)).packages).filter(([name]) => name !== '');

describe.each(workflows)('%s', (_, text) => {
  test('names each action by its commit, with the version beside it', () => {
    const uses = text.split('\n').filter((line) => /^\s*-? *uses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('has no rights but those that its jobs name, and keeps no token in the work tree', () => {
    const { permissions, jobs } = parse(text);
    expect(permissions).toEqual({});
    for (const { permissions: own, steps } of Object.values<{ permissions: unknown; steps: Step[] }>(jobs)) {
      expect(own).toBeInstanceOf(Object);
      const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    }
  });
});

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

test('the release takes its base image by digest', async () => {
  const text = await read('.github/workflows/release.yml');
  expect(text).toMatch(/^ *base=.*@\$\(skopeo manifest-digest index\.json\)$/m);
  expect(text.match(/docker:\/\/\$base"/g)).toHaveLength(1);
  expect(text.match(/skopeo copy [^\n]*docker:\/\/\$BASE/g)).toBeNull();
});

describe.each(['package-lock.json', 'hack/codegen/package-lock.json', 'hack/mutation/package-lock.json'])(
  '%s',
  (path) => {
    test('has the digest of each package, and no other source than the registry', async () => {
      const packages = await packagesIn(path);
      expect(packages.length).toBeGreaterThan(50);
      expect(packages.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
      expect(
        packages.filter(([, { resolved, link }]) => link || /^(git|file|http:)/.test(resolved ?? '')),
      ).toEqual([]);
    });
  },
);

test('packages that are shipped have licences that allow it without conditions on this program', async () => {
  const allowed = [
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
    'PSF-2.0',
    'Unlicense',
    'Zlib',
  ];
  const shipped = (await packagesIn('package-lock.json')).filter(([, { dev }]) => !dev);
  expect(shipped.length).toBeGreaterThan(50);
  /** Each of `(MIT AND Zlib)`. */
  const licencesOf = (expression: string) => expression.replace(/^\(|\)$/g, '').split(' AND ');
  const isAllowed = ({ license = '' }: Package) => licencesOf(license).every((one) => allowed.includes(one));
  expect(shipped.filter(([, found]) => !isAllowed(found))).toEqual([]);
});

/** The files of a project that `init` writes and `upgrade` keeps current. The author may change each of them. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Of the library that this command is part of. */
export interface LibraryManifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export interface ProjectOptions {
  /** Of the package: `provider-notes`. */
  readonly name: string;
  /** Of the API, for people. */
  readonly title: string;
}

/** Written by `init`: its version, and the SHA-256 of each file as it was written. */
export const RECORD = '.provider-kyma-kit.json';

export interface ProjectRecord extends ProjectOptions {
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
}

export async function libraryManifest(): Promise<LibraryManifest> {
  const path = createRequire(import.meta.url).resolve('provider-kyma/package.json');
  return JSON.parse(await readFile(path, 'utf8'));
}

/** What developers need besides the library. */
export function developerDependencies({
  devDependencies,
  peerDependencies,
}: LibraryManifest): Record<string, string> {
  const shared = ['@types/node', 'typescript'].map((name) => [name, devDependencies[name] ?? '*']);
  return Object.fromEntries([...shared, ...Object.entries(peerDependencies)].sort());
}

/** By path, without `package.json`, of which the author has more. */
export function projectFiles({ name, title }: ProjectOptions): ReadonlyMap<string, string> {
  return new Map([
    ['tsconfig.json', tsconfig],
    ['main.ts', main],
    ['package/crossplane.yaml', crossplane(name, title)],
    ['.github/workflows/provider.yaml', workflow],
    ['.gitignore', 'node_modules/\ndist/\nbase/\ndev.env.yaml\n'],
    ['README.md', readme(name, title)],
  ]);
}

export const packageManifest = (
  { name, title }: ProjectOptions,
  library: LibraryManifest,
  source: string,
): string =>
  json({
    name,
    version: '0.1.0',
    private: true,
    description: `A Crossplane provider for ${title}`,
    type: 'module',
    engines: { node: '>=24' },
    scripts: {
      generate: 'provider-kyma-kit generate',
      check: 'provider-kyma-kit generate --check && tsc',
      test: 'provider-kyma-kit test',
      package: 'provider-kyma-kit package',
      start: 'node main.ts',
    },
    dependencies: { 'provider-kyma': source },
    devDependencies: developerDependencies(library),
  });

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const main = `import { runRestProvider } from 'provider-kyma/rest';
import { provider } from './kinds.gen.ts';

await runRestProvider(provider);
`;

const tsconfig = json({
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['*.ts', 'apis'],
});

const crossplane = (name: string, title: string) => `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: ${name}
  annotations:
    meta.crossplane.io/description: ${JSON.stringify(`Manages resources of ${title}.`)}
spec:
  crossplane:
    version: ">=v1.20.0-0"
  capabilities:
    # Controllers start when their CRD is there.
    - safe-start
`;

const workflow = `name: provider
on:
  push: { branches: [main], tags: ["v*"] }
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with: { node-version: 24, cache: npm }
      - run: npm ci
      - run: npm run check
      - run: npm test
  package:
    needs: test
    if: startsWith(github.ref, 'refs/tags/v')
    runs-on: ubuntu-latest
    permissions: { contents: read, packages: write }
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with: { node-version: 24, cache: npm }
      - uses: imjasonh/setup-crane@v0.4
      - run: npm ci
      - run: |
          crane pull --platform=linux/amd64 --format=oci gcr.io/distroless/nodejs24-debian12:nonroot base
          npx provider-kyma-kit package --base-image base --version "\${GITHUB_REF_NAME#v}" --revision "$GITHUB_SHA" \\
            --source "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
          crane push dist/oci "ghcr.io/\${GITHUB_REPOSITORY@L}:$GITHUB_REF_NAME"
      - uses: actions/upload-artifact@v4
        with: { name: package, path: dist }
`;

const readme = (name: string, title: string) => `# ${name}

A Crossplane provider for ${title}, on provider-kyma. \`provider.yaml\` says which
operations of the OpenAPI document make which kind; \`npm run generate\` makes CRDs, types, definitions and tests of it, a page of each kind
in \`docs/kinds\`, an example of each in \`examples\`, and a dashboard and alerts in \`package/monitoring\`.

| command | effect |
|---|---|
| \`npm run generate\` | writes what follows from \`provider.yaml\` and the document; after each change of them |
| \`npm run check\` | fails if a generated file is not current, or the code has errors |
| \`npm test\` | tests each kind in each scope |
| \`npm run package -- --base-image base\` | bundle, image, Crossplane package and bill of materials, in \`dist\` |
| \`npx provider-kyma-kit upgrade\` | what a new version of the library or of the document changes |
`;

/**
 * From a document to a composite in Crossplane, without a person: init, generate, test, package, installed by Crossplane's own core, and
 * composed of the examples that generate wrote. The package manager pulls the image, makes CRDs of it and activates them; the program of the
 * image runs as a process, since no pod does.
 */
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { startServerProcess } from '../../../hack/control-planes/process/server-process.ts';
import { readProject } from '../../../hack/kit/generate/read-project.ts';
import { registryServer } from '../../../hack/node/registry/serve-images.ts';
import { writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { KubeObject, ObjectKey } from '../../../internal/framework/kube/object/object.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { isDeleted } from '../../../internal/framework/rest/compare.ts';
import { type RestSimulator, startRestSimulator } from '../../../internal/framework/rest/fakes/index.ts';
import type { RestProvider } from '../../../internal/framework/rest/index.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { compositions, definitions } from '../chain/kinds.ts';
import { providerRevisions, providers, reportRuntime } from '../harness/crossplane/crossplane-objects.ts';
import {
  type CrossplanePrograms,
  crossplanePrograms,
  startCrossplane,
} from '../harness/crossplane/crossplane-process.ts';
import { nodeBaseImage } from '../harness/provider/node-base-image.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FUNCTION = 'function-resources';
const PLATFORM = 'platform.example.org';
const NAMESPACE = 'shop';

/** A document, and what its author states. */
interface Given {
  readonly name: string;
  readonly style: string;
  /** The author's file; default: that of init, with `kinds`. */
  readonly testdata?: string;
  readonly kinds: Readonly<Record<string, string>>;
  /** Changes what init wrote. */
  readonly edit?: (text: string) => string;
}

const documents: readonly Given[] = [
  {
    ...{ name: 'notes', style: 'that of the walk, with two headers in place of its token' },
    kinds: { Folder: 'folders', Note: 'notes', Token: 'tokens' },
    edit: (text) => {
      expect(text).toContain('  authentication: bearer\n');
      const headers = '  authentication: { headers: { X-Api-Key: key, X-Workspace: workspace } }\n';
      return text.replace('  authentication: bearer\n', headers);
    },
  },
  {
    ...{ name: 'forge', style: 'numbers as IDs', testdata: 'numbers' },
    kinds: { Organization: 'organizations', Team: 'teams', Hook: 'hooks' },
  },
  {
    ...{ name: 'nimbus', style: 'pages, and operations that end later', testdata: 'pages' },
    kinds: { Project: 'projects', Network: 'networks', Cluster: 'clusters' },
  },
  {
    ...{ name: 'lookout', style: 'OpenAPI 2.0', testdata: 'swagger' },
    kinds: { Folder: 'folders', ServiceAccount: 'serviceaccounts', Token: 'tokens' },
  },
];

/** Undefined where neither a cache nor the network has Crossplane. */
async function findPrograms(): Promise<CrossplanePrograms | undefined> {
  try {
    const programs = await crossplanePrograms([]);
    const main = pathToFileURL(join(ROOT, 'test/simulators/composition-function/main.ts')).href;
    const program = Buffer.from(`#!${process.execPath}\nimport(${JSON.stringify(main)});\n`);
    return { ...programs, functions: { [FUNCTION]: { program, files: new Map() } } };
  } catch (error) {
    process.stderr.write(`the kit in Crossplane is left out: ${messageOf(error)}\n`);
    return undefined;
  }
}

const groupOf = (name: string) => `${name}.m.example.org`;
const kindOf = (
  kind: string,
  plural: string,
  group: string,
  version = 'v1alpha1',
): ResourceType<KubeObject> => ({
  ...{ group, version, kind, plural, namespaced: true },
});
const compositesOf = ({ name }: Given): ResourceType<KubeObject> =>
  kindOf(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}Set`, `${name}sets`, PLATFORM);

const programs = await findPrograms();
const describeKit = programs === undefined ? describe.skip : describe;

/** For all documents together. */
const MAX_MINUTES = 15;
/** By document: lines of its author, and seconds until its composite is ready. */
const measured = new Map<string, { readonly lines: number; readonly seconds: number }>();

describeKit('a provider of the kit in Crossplane', () => {
  const stack = new AsyncDisposableStack();
  let plane: ControlPlane;
  let objects: Objects;
  let author: AuthorFolder;
  let registry: { readonly folder: string; readonly address: string };

  async function serveRegistry() {
    const folder = await mkdtemp(join(tmpdir(), 'kit-registry-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const server = stack.use(await listenOnLoopback(registryServer(folder)));
    return { folder, address: `127.0.0.1:${server.port}` };
  }

  beforeAll(async () => {
    if (programs === undefined) return;
    author = await createAuthorFolder();
    stack.defer(() => author.remove());
    await writeFile(join(author.path, 'base.tar'), await writeDockerArchive(await nodeBaseImage()));
    registry = await serveRegistry();
    plane = await startControlPlane({ name: 'kit' });
    stack.defer(() => plane.stop());
    objects = objectsOf(plane);
    const kinds = documents.flatMap((given) => [
      `${compositesOf(given).plural}.${PLATFORM}`,
      ...Object.values(given.kinds).map((plural) => `${plural}.${groupOf(given.name)}`),
    ]);
    const crossplane = await startCrossplane(plane, programs, { kinds, installsProviders: true });
    stack.defer(() => crossplane.stop());
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  describe.each(documents)('$name: $style', (given) => {
    const { name, kinds, testdata, edit = (text: string) => text } = given;
    const provider = `provider-${name}`;
    const composites = compositesOf(given);
    const own = new AsyncDisposableStack();
    let project: string;
    let simulator: RestSimulator;
    let log = () => '';
    let startedAt: number;
    let version: string;
    const typeOf = (kind: string) => kindOf(kind, kinds[kind] ?? '', groupOf(name), version);
    afterAll(() => own.disposeAsync(), 60_000);

    const run = async (args: readonly string[], cwd: string) => {
      const { code, output } = await author.kit(args, cwd);
      expect({ args, code, output: code === 0 ? '' : output }).toEqual({ args, code: 0, output: '' });
    };

    test('becomes a project, kinds that pass their tests, and a package', async () => {
      startedAt = performance.now();
      const document =
        testdata === undefined
          ? join(ROOT, `docs/authors/${name}.openapi.yaml`)
          : join(ROOT, 'hack/kit/testdata', testdata, 'openapi.yaml');
      const chosen = testdata === undefined ? Object.keys(kinds).flatMap((kind) => ['--kind', kind]) : [];
      const init = ['init', name, '--group', `${name}.example.org`, '--openapi', document, ...chosen];
      await run(init, author.path);
      project = join(author.path, provider);
      const file = join(project, 'provider.yaml');
      const draft = await readFile(file, 'utf8');
      const text =
        testdata === undefined
          ? edit(draft)
          : await readFile(join(ROOT, 'hack/kit/testdata', testdata, 'provider.yaml'), 'utf8');
      await writeFile(file, text);
      const ofInit = new Set(draft.split('\n'));
      const lines = text.split('\n').filter((line) => line.trim() !== '' && !ofInit.has(line)).length;
      expect(lines).toBeLessThanOrEqual(100);
      measured.set(name, { lines, seconds: Number.NaN });
      await run(['generate'], project);
      await run(['test'], project);
      await run(['package', '--base-image', '../base.tar'], project);
    }, 300_000);

    test('is installed by the package manager, and its kinds are served', async () => {
      const image = `${name}/${provider}`;
      await cp(join(project, 'dist/oci'), join(registry.folder, image, 'v0.1.0'), { recursive: true });
      const wanted = { apiVersion: 'pkg.crossplane.io/v1', kind: 'Provider', metadata: { name: provider } };
      const spec = { package: `${registry.address}/${image}:v0.1.0` };
      await objects.apply(providers, { ...wanted, spec } as KubeObject);
      const revision = await eventually(async () => {
        const made = (await objects.list(providerRevisions)).find(
          ({ metadata }) => metadata.labels?.['pkg.crossplane.io/package'] === provider,
        );
        if (made === undefined) throw new Error('there is no revision');
        return made.metadata.name ?? '';
      });
      await reportRuntime(objects, revision, 'crossplane-system');
      version = (await readProject(project)).file.version;
      await eventually(
        async () => {
          await expectConditions(objects, providers, { name: provider }, ['Installed', 'Healthy']);
          for (const kind of Object.keys(kinds))
            expect(await objects.list(typeOf(kind), 'default')).toEqual([]);
        },
        { timeoutMs: 60_000 },
      );
    }, 180_000);

    test('a composite of three kinds becomes Ready: references are resolved, and connection Secrets are written', async () => {
      simulator = await simulate();
      await startProgram();
      await objects.apply(namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: NAMESPACE },
      });
      const { secrets: values, composed } = await examplesIn(project);
      for (const secret of values) await objects.apply(secrets, placed(secret));
      const data = { credentials: Buffer.from(simulator.credentials()).toString('base64') };
      const metadata = { namespace: NAMESPACE, name };
      await objects.apply(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
      const config = kindOf('ProviderConfig', 'providerconfigs', groupOf(name), version);
      const secretRef = { ...metadata, key: 'credentials' };
      await objects.apply(config, {
        ...{ apiVersion: `${config.group}/${version}`, kind: 'ProviderConfig' },
        metadata: { namespace: NAMESPACE, name: 'default' },
        spec: { url: simulator.url, credentials: { source: 'Secret', secretRef } },
      } as KubeObject);
      await objects.apply(definitions, definitionOf(composites) as KubeObject);
      await objects.apply(compositions, compositionOf(composites, composed) as KubeObject);
      await eventually(() => objects.list(composites, NAMESPACE), { timeoutMs: 60_000 });
      const composite = { apiVersion: `${PLATFORM}/v1alpha1`, kind: composites.kind };
      const key = { namespace: NAMESPACE, name: 'mine' };
      await objects.apply(composites, { ...composite, metadata: key, spec: {} } as KubeObject);

      await eventually(() => expectConditions(objects, composites, key, ['Ready'], log), {
        timeoutMs: 120_000,
      });
      const { lines = 0 } = measured.get(name) ?? {};
      measured.set(name, { lines, seconds: Math.round((performance.now() - startedAt) / 1000) });
      for (const { kind, definition } of (await readProject(project)).kinds) {
        expect([kind, simulator.items(kind).length]).toEqual([kind, 1]);
        const [stored] = await objects.list(typeOf(kind), NAMESPACE);
        expect(stored?.metadata.managedFields).toContainEqual(expect.objectContaining({ manager: provider }));
        if (definition.connection === undefined) continue;
        const details = { namespace: NAMESPACE, name: `${kind.toLowerCase()}-example` };
        const secret = (await objects.get(secrets, details)) as KubeObject & { data?: object };
        expect(Object.keys(secret.data ?? {}).sort()).toEqual(Object.keys(definition.connection).sort());
      }
    }, 240_000);

    test('deleted, nothing is left of it at the API', async () => {
      const key = { namespace: NAMESPACE, name: 'mine' };
      await objects.delete(composites, key, 'Foreground');
      const made = await readProject(project);
      await eventually(
        async () => {
          expect(await objects.find(composites, key)).toBeUndefined();
          const left = made.kinds.flatMap(({ kind, definition }) =>
            simulator.items(kind).filter(({ object }) => !isDeleted(object, definition)),
          );
          expect(left).toEqual([]);
        },
        { timeoutMs: 120_000 },
      );
    }, 180_000);

    async function simulate(): Promise<RestSimulator> {
      const made = await readProject(project);
      const module: { provider: RestProvider } = await import(
        pathToFileURL(join(project, 'kinds.gen.ts')).href
      );
      const simulated = made.kinds.map(({ kind, definition, sample }) => ({
        ...{ name: kind, definition, sample },
      }));
      const started = await startRestSimulator(simulated, module.provider.authentication);
      own.defer(() => started.close());
      return started;
    }

    async function startProgram(): Promise<void> {
      const directory = await mkdtemp(join(tmpdir(), 'kit-provider-'));
      const program = join(directory, `${provider}.mjs`);
      await cp(join(project, `dist/${provider}.mjs`), program);
      log = () => readFileSync(join(directory, `${provider}.log`), 'utf8');
      const server = await startServerProcess({
        name: provider,
        command: process.execPath,
        args: [program],
        env: {
          KUBECONFIG: plane.kubeconfigPath,
          ALLOW_PRIVATE_ENDPOINTS: 'true',
          METRICS_BIND_ADDRESS: '0',
          HEALTH_PROBE_BIND_ADDRESS: '0',
        },
        directory,
        clock: systemClock,
        isReady: async () => log().includes('"controller started"'),
      });
      own.defer(async () => {
        await server.stop();
        await rm(directory, { recursive: true, force: true });
      });
    }
  });

  test('each document needs at most 100 lines of an author, and all of them a quarter of an hour', () => {
    const text = [...measured].map(([name, { lines, seconds }]) => `${name}: ${lines} lines, ${seconds} s`);
    process.stderr.write(`${text.join('; ')}\n`);
    const seconds = [...measured.values()].reduce((sum, each) => sum + each.seconds, 0);
    expect([measured.size, seconds <= MAX_MINUTES * 60]).toEqual([documents.length, true]);
  });
});

async function expectConditions(
  objects: Objects,
  type: ResourceType<KubeObject>,
  key: ObjectKey,
  types: readonly string[],
  log = () => '',
): Promise<void> {
  const { status } = (await objects.get(type, key)) as KubeObject & { status?: object };
  expect({ status, log: log().slice(-2000) }).toMatchObject({
    status: {
      conditions: expect.arrayContaining(
        types.map((each) => expect.objectContaining({ type: each, status: 'True' })),
      ),
    },
  });
}

const placed = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: NAMESPACE },
});

/** The examples of the kinds, which refer to each other by the composite that they are of. */
async function examplesIn(project: string) {
  const folder = join(project, 'examples/namespaced');
  const files = (await readdir(folder)).filter((file) => !file.includes('providerconfig')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const all = texts.flatMap((text) => parseAllDocuments(text).map((each) => each.toJS() as KubeObject));
  const managed = all.filter(({ kind }) => kind !== 'Secret');
  expect(managed).toHaveLength(3);
  return {
    secrets: all.filter(({ kind }) => kind === 'Secret'),
    composed: Object.fromEntries(
      managed.map(({ apiVersion, kind, ...object }) => {
        const { spec } = object as unknown as { spec: { forProvider: object } };
        const forProvider = withSelectors(spec.forProvider);
        return [String(kind).toLowerCase(), { apiVersion, kind, spec: { ...spec, forProvider } }];
      }),
    ),
  };
}

const withSelectors = (forProvider: object) =>
  Object.fromEntries(
    Object.entries(forProvider).map(([name, value]) =>
      name.endsWith('Ref') && !name.endsWith('SecretRef')
        ? [name.replace(/Ref$/, 'Selector'), { matchControllerRef: true }]
        : [name, value],
    ),
  );

const definitionOf = ({ kind, plural, group }: ResourceType) => ({
  apiVersion: 'apiextensions.crossplane.io/v2',
  kind: 'CompositeResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    scope: 'Namespaced',
    group,
    names: { kind, plural },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        referenceable: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
});

const compositionOf = ({ kind, plural, group }: ResourceType, composed: object) => ({
  apiVersion: 'apiextensions.crossplane.io/v1',
  kind: 'Composition',
  metadata: { name: plural },
  spec: {
    compositeTypeRef: { apiVersion: `${group}/v1alpha1`, kind },
    mode: 'Pipeline',
    pipeline: [
      {
        step: 'resources',
        functionRef: { name: FUNCTION },
        input: { apiVersion: 'tests.example.org/v1', kind: 'Resources', resources: composed },
      },
    ],
  },
});

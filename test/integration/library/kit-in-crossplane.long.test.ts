/**
 * A provider that the kit made of a document, installed by Crossplane's own core from its package, and composed: the package manager
 * pulls the image, makes CRDs of it and activates them; the program of the image runs as a process, since no pod does.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { startServerProcess } from '../../../hack/control-planes/process/server-process.ts';
import { readProject } from '../../../hack/kit/generate/read-project.ts';
import { registryServer } from '../../../hack/node/registry/serve-images.ts';
import { writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
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
import { createAuthorFolder } from './author-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const GROUP = 'notes.m.example.org';
const FUNCTION = 'function-resources';

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

const kindOf = (
  kind: string,
  plural: string,
  group = GROUP,
  version = 'v1alpha1',
): ResourceType<KubeObject> => ({
  ...{ group, version, kind, plural, namespaced: true },
});
const notebooks = kindOf('Notebook', 'notebooks', 'platform.example.org');
const config = { kind: 'ProviderConfig', name: 'default' };
const resource = (kind: string, spec: object) => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind,
  spec: { ...spec, providerConfigRef: config },
});

/** What a Notebook is made of: references find the folder of the same composite. */
const composed = {
  folder: resource('Folder', { forProvider: { title: 'Recipes' } }),
  note: resource('Note', {
    forProvider: { title: 'Bread', text: 'Flour', folderIdSelector: { matchControllerRef: true } },
  }),
  token: resource('Token', {
    forProvider: { name: 'kitchen', folderIdSelector: { matchControllerRef: true } },
    writeConnectionSecretToRef: { name: 'kitchen' },
  }),
};

const programs = await findPrograms();
const describeKit = programs === undefined ? describe.skip : describe;

describeKit('a provider of the kit in Crossplane', () => {
  const stack = new AsyncDisposableStack();
  let plane: ControlPlane;
  let objects: Objects;
  let simulator: RestSimulator;
  let log = () => '';

  /** The project of the walk: its package in a registry, its program, and the simulator of its API. */
  async function makeProvider() {
    const author = await createAuthorFolder();
    stack.defer(() => author.remove());
    const kinds = ['Folder', 'Note', 'Token'].flatMap((kind) => ['--kind', kind]);
    const document = join(ROOT, 'docs/authors/notes.openapi.yaml');
    const project = join(author.path, 'provider-notes');
    const succeed = async (args: readonly string[], cwd: string) =>
      expect(await author.kit(args, cwd)).toMatchObject({ code: 0 });
    await succeed(
      ['init', 'notes', '--group', 'notes.example.org', '--openapi', document, ...kinds],
      author.path,
    );
    // Two headers in place of the token of the document, one of which belongs to the user.
    const file = join(project, 'provider.yaml');
    const text = await readFile(file, 'utf8');
    expect(text).toContain('  authentication: bearer\n');
    const headers = '  authentication: { headers: { X-Api-Key: key, X-Workspace: workspace } }\n';
    await writeFile(file, text.replace('  authentication: bearer\n', headers));
    await succeed(['generate'], project);
    await writeFile(join(author.path, 'base.tar'), await writeDockerArchive(await nodeBaseImage()));
    await succeed(['package', '--base-image', '../base.tar'], project);
    return project;
  }

  async function serveImages(project: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'kit-registry-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    await cp(join(project, 'dist/oci'), join(folder, 'notes/provider-notes/v0.1.0'), { recursive: true });
    const server = registryServer(folder).listen(0, '127.0.0.1');
    stack.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}/notes/provider-notes:v0.1.0`;
  }

  async function simulate(project: string): Promise<RestSimulator> {
    const { kinds } = await readProject(project);
    const module: { provider: RestProvider } = await import(
      pathToFileURL(join(project, 'kinds.gen.ts')).href
    );
    const simulated = kinds.map(({ kind, definition, sample }) => ({ name: kind, definition, sample }));
    const started = await startRestSimulator(simulated, module.provider.authentication);
    stack.defer(() => started.close());
    return started;
  }

  let project: string;
  let image: string;
  beforeAll(async () => {
    if (programs === undefined) return;
    project = await makeProvider();
    image = await serveImages(project);
    simulator = await simulate(project);
    plane = await startControlPlane({ name: 'kit' });
    stack.defer(() => plane.stop());
    objects = objectsOf(plane);
    const kinds = [
      'notebooks.platform.example.org',
      ...['folders', 'notes', 'tokens'].map((each) => `${each}.${GROUP}`),
    ];
    const crossplane = await startCrossplane(plane, programs, { kinds, installsProviders: true });
    stack.defer(() => crossplane.stop());
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  test('the package manager installs the package, and its kinds are served', async () => {
    const provider = {
      apiVersion: 'pkg.crossplane.io/v1',
      kind: 'Provider',
      metadata: { name: 'provider-notes' },
    };
    await objects.apply(providers, { ...provider, spec: { package: image } } as KubeObject);

    const revision = await eventually(async () => {
      const [made] = await objects.list(providerRevisions);
      if (made === undefined) throw new Error('there is no revision');
      return made.metadata.name ?? '';
    });
    await reportRuntime(objects, revision, 'crossplane-system');

    await eventually(
      async () => {
        const { status } = (await objects.get(providers, { name: 'provider-notes' })) as KubeObject & {
          status?: object;
        };
        expect(status).toMatchObject({
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'Installed', status: 'True' }),
            expect.objectContaining({ type: 'Healthy', status: 'True' }),
          ]),
        });
        for (const [kind, plural] of [
          ['Folder', 'folders'],
          ['Note', 'notes'],
          ['Token', 'tokens'],
        ] as const)
          expect(await objects.list(kindOf(kind, plural), 'default')).toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
  }, 180_000);

  test('a composite of three kinds becomes Ready: references are resolved, and the connection Secret is written', async () => {
    await startProgram();
    expect(Object.keys(JSON.parse(simulator.credentials()))).toEqual(['key', 'workspace']);
    await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const data = { credentials: Buffer.from(simulator.credentials()).toString('base64') };
    await objects.apply(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name: 'notes' },
      data,
    });
    await objects.apply(kindOf('ProviderConfig', 'providerconfigs'), {
      ...{
        apiVersion: `${GROUP}/v1alpha1`,
        kind: 'ProviderConfig',
        metadata: { namespace: 'shop', name: 'default' },
      },
      spec: {
        url: simulator.url,
        credentials: {
          source: 'Secret',
          secretRef: { namespace: 'shop', name: 'notes', key: 'credentials' },
        },
      },
    } as KubeObject);
    await objects.apply(definitions, definition as KubeObject);
    await objects.apply(compositions, composition as KubeObject);
    await eventually(() => objects.list(notebooks, 'shop'), { timeoutMs: 60_000 });
    const notebook = {
      apiVersion: 'platform.example.org/v1alpha1',
      kind: 'Notebook',
      metadata: { namespace: 'shop', name: 'mine' },
    };
    await objects.apply(notebooks, { ...notebook, spec: {} } as KubeObject);

    await eventually(
      async () => {
        const { status } = (await objects.get(notebooks, {
          namespace: 'shop',
          name: 'mine',
        })) as KubeObject & { status?: object };
        expect({ status, log: log().slice(-2000) }).toMatchObject({
          status: {
            conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
          },
        });
      },
      { timeoutMs: 120_000 },
    );
    const [folder] = simulator.items('Folder');
    expect(folder?.object).toMatchObject({ title: 'Recipes' });
    const [stored] = await objects.list(kindOf('Folder', 'folders'), 'shop');
    expect(stored?.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'provider-notes' }),
    );
    expect(simulator.items('Note').map(({ object }) => object)).toMatchObject([
      { title: 'Bread', folder_id: folder?.object.id },
    ]);
    expect(simulator.items('Token')).toMatchObject([
      { parameters: { id: folder?.object.id }, object: { name: 'kitchen' } },
    ]);
    const secret = (await objects.get(secrets, { namespace: 'shop', name: 'kitchen' })) as KubeObject & {
      data?: object;
    };
    expect(Object.keys(secret.data ?? {})).toEqual(['key']);
  }, 240_000);

  test('deleted, nothing is left of it at the API', async () => {
    await objects.delete(notebooks, { namespace: 'shop', name: 'mine' }, 'Foreground');
    await eventually(
      async () => {
        expect(await objects.find(notebooks, { namespace: 'shop', name: 'mine' })).toBeUndefined();
        expect(['Folder', 'Note', 'Token'].flatMap((kind) => simulator.items(kind))).toEqual([]);
      },
      { timeoutMs: 120_000 },
    );
  }, 180_000);

  async function startProgram(): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'kit-provider-'));
    const program = join(directory, 'provider-notes.mjs');
    await cp(join(project, 'dist/provider-notes.mjs'), program);
    log = () => readFileSync(join(directory, 'provider-notes.log'), 'utf8');
    const server = await startServerProcess({
      name: 'provider-notes',
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
    stack.defer(async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });
  }
});

const definition = {
  apiVersion: 'apiextensions.crossplane.io/v2',
  kind: 'CompositeResourceDefinition',
  metadata: { name: 'notebooks.platform.example.org' },
  spec: {
    scope: 'Namespaced',
    group: 'platform.example.org',
    names: { kind: 'Notebook', plural: 'notebooks' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        referenceable: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
};

const composition = {
  apiVersion: 'apiextensions.crossplane.io/v1',
  kind: 'Composition',
  metadata: { name: 'notebooks' },
  spec: {
    compositeTypeRef: { apiVersion: 'platform.example.org/v1alpha1', kind: 'Notebook' },
    mode: 'Pipeline',
    pipeline: [
      {
        step: 'resources',
        functionRef: { name: FUNCTION },
        input: { apiVersion: 'tests.example.org/v1', kind: 'Resources', resources: composed },
      },
    ],
  },
};

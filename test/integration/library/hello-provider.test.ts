/** The example for provider authors, as an author runs it: on the packed library, in a process of its own. */
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type Greeter, startGreeter } from '../../../examples/hello-provider/greeter.ts';
import { type ServerProcess, startServerProcess } from '../../../hack/control-planes/server-process.ts';
import { startWatchdog } from '../../../hack/control-planes/watchdog.ts';
import { systemClock } from '../../../internal/base/clock.ts';
import { namespaces, type ResourceType, secrets } from '../../../internal/kube/resource-type.ts';
import { getCondition } from '../../../internal/runtime/managed/conditions.ts';
import type { Managed } from '../../../internal/runtime/managed/resource.ts';
import { eventually } from '../../landscape/eventually.ts';
import { type Crd, installCrds, removeCrds } from '../../landscape/install-crds.ts';
import { type Objects, objectsOf } from '../../landscape/objects.ts';
import { type AuthorFolder, createAuthorFolder } from '../../library/author-folder.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes.ts';

const EXAMPLE = new URL('../../../examples/hello-provider/', import.meta.url);

const greetings: ResourceType = {
  group: 'hello.example.org',
  version: 'v1alpha1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};

const namespace = uniqueName('hello');
const key = { namespace, name: 'world' };

let author: AuthorFolder;
let greeter: Greeter;
let provider: ServerProcess;
let endWatchdog: () => Promise<void>;
let objects: Objects;
let crd: Crd;
let log: () => string;

const manifest = async (file: string) => parse(await readFile(new URL(file, EXAMPLE), 'utf8'));
const condition = async (type: string) => {
  const greeting = await objects.find<Managed>(greetings, key);
  return greeting && getCondition(greeting, type);
};

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  crd = await manifest('crd.yaml');
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  author = await createAuthorFolder();
  const folder = await author.copy('examples/hello-provider');
  greeter = await startGreeter(0);
  const directory = await mkdtemp(join(tmpdir(), 'hello-provider-'));
  endWatchdog = startWatchdog(directory);
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, management.kubeconfig, { mode: 0o600 });
  log = () => readFileSync(join(directory, 'hello.log'), 'utf8');
  provider = await startServerProcess({
    name: 'hello',
    command: process.execPath,
    args: [join(folder, 'main.ts')],
    env: {
      PATH: process.env.PATH,
      KUBECONFIG: kubeconfig,
      GREETER_URL: greeter.url,
      METRICS_BIND_ADDRESS: '127.0.0.1:0',
      HEALTH_PROBE_BIND_ADDRESS: '127.0.0.1:0',
    },
    directory,
    clock: systemClock,
    isReady: async () => log().includes('"serving"'),
  });
}, 300_000);

afterAll(async () => {
  const { management } = await controlPlanes();
  await endWatchdog?.();
  greeter?.close();
  await author?.remove();
  await removeCrds(management, [crd]);
}, 120_000);

test('it is there before its CRD, and begins when that is installed', async () => {
  const { management } = await controlPlanes();
  await installCrds(management, [crd]);
  await eventually(() => expect(log()).toContain('controller started'));
});

test('a greeting waits for its token, goes on when that appears, and is ready', async () => {
  const greeting: Managed = await manifest('greeting.yaml');
  await objects.apply(greetings, { ...greeting, metadata: { ...greeting.metadata, namespace } });
  await eventually(async () => {
    expect(await condition('Synced')).toMatchObject({
      reason: 'Waiting',
      message: `Secret ${namespace}/greeter not found`,
    });
  });

  await objects.apply(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'greeter' },
    data: { token: Buffer.from('s3cret').toString('base64') },
  });

  await eventually(async () => expect(await condition('Ready')).toMatchObject({ status: 'True' }));
  expect([...greeter.texts]).toEqual([[`${namespace}.world`, 'Hello, world']]);
  expect(log()).not.toContain('s3cret');
});

test('what others change at the greeter is put right', async () => {
  greeter.texts.set(`${namespace}.world`, 'Go away');
  const annotations = { 'crossplane.io/reconcile-requested-at': 'now' };
  await objects.patch(greetings, key, { metadata: { annotations } });
  await eventually(() => expect(greeter.texts.get(`${namespace}.world`)).toBe('Hello, world'));
});

test('a greeting is removed before its resource goes', async () => {
  await objects.delete(greetings, key);
  await eventually(async () => expect(await objects.find(greetings, key)).toBeUndefined());
  expect(greeter.texts.size).toBe(0);
});

test('it ends when it is asked to', async () => {
  provider.signal('SIGTERM');
  expect(await provider.gone).toBe('it ended with 0');
});

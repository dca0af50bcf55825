/** The example for provider authors, as an author runs it: on the packed library, in a process of its own. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Greeter, startGreeter } from '../../../examples/hello-provider/greeter.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { getCondition } from '../../../internal/framework/managed/resource/conditions.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Crd, installCrds, removeCrds } from '../../environment/install-crds.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { type ExampleProcess, exampleManifest, startExample } from './example-process.ts';

const greetings: ResourceType<Managed> = {
  group: 'hello.example.org',
  version: 'v1alpha1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};

const namespace = uniqueName('hello');
const key = { namespace, name: 'world' };

let greeter: Greeter;
let provider: ExampleProcess;
let objects: Objects;
let crd: Crd;

const manifest = (file: string) => exampleManifest('hello-provider', file);
const condition = async (type: string) => {
  const greeting = await objects.find(greetings, key);
  return greeting && getCondition(greeting, type);
};

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  crd = await manifest('package/crds/hello.example.org_greetings.yaml');
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  greeter = await startGreeter(0);
  provider = await startExample('hello-provider', {
    ready: 'serving',
    env: async () => ({ GREETER_URL: greeter.url }),
  });
}, 300_000);

afterAll(async () => {
  const { management } = await controlPlanes();
  await provider?.stop();
  greeter?.close();
  await removeCrds(management, [crd]);
}, 120_000);

test('it runs before its CRD exists, and reconciles once that is installed', async () => {
  const { management } = await controlPlanes();
  await installCrds(management, [crd]);
  await eventually(() => expect(provider.log()).toContain('controller started'));
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
  expect(provider.log()).not.toContain('s3cret');
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

test('it exits on SIGTERM', async () => {
  provider.server.signal('SIGTERM');
  expect(await provider.server.gone).toBe('it ended with 0');
});

/** The example of an unmanaged kind, as an author runs it: on the packed library, in a process of its own. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  configMaps,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Crd, installCrds, removeCrds } from '../../environment/install-crds.ts';
import { configMapManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { type ExampleProcess, exampleManifest, startExample } from './example-process.ts';

const EXAMPLE = new URL('../../../examples/hello-controller/', import.meta.url);

const welcomes: ResourceType<Welcome> = {
  group: 'hello.example.org',
  version: 'v1',
  kind: 'Welcome',
  plural: 'welcomes',
  namespaced: true,
};

interface Welcome extends KubeObject {
  spec: { guest: string };
  status?: { text?: string };
}

const namespace = uniqueName('hello');
const key = { namespace, name: 'ann' };

let controller: ExampleProcess;
let objects: Objects;
let crd: Crd;
let webhooks: { readonly port: number; readonly caBundle: string };

const manifest = (file: string) => exampleManifest('hello-controller', file);
const textInSecret = async () => {
  const secret = await objects.find(secrets, key);
  return Buffer.from(secret?.data?.text ?? '', 'base64').toString();
};

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  crd = await manifest('package/crds/hello.example.org_welcomes.yaml');
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const authority = await createAuthority('hello');
  webhooks = { port: await freePort(), caBundle: Buffer.from(authority.certificate).toString('base64') };
  controller = await startExample('hello-controller', {
    ready: 'serving webhooks',
    env: async (directory) => {
      const { certificate, key: privateKey } = await authority.issueServer(['127.0.0.1']);
      const certificates = join(directory, 'certificates');
      await mkdir(certificates);
      await writeFile(join(certificates, 'tls.crt'), certificate);
      await writeFile(join(certificates, 'tls.key'), privateKey, { mode: 0o600 });
      return {
        WEBHOOK_BIND_ADDRESS: `127.0.0.1:${webhooks.port}`,
        WEBHOOK_TLS_CERT_DIR: certificates,
      };
    },
  });
  await installCrds(management, [crd]);
}, 300_000);

afterAll(async () => {
  const { management } = await controlPlanes();
  await management.request(
    `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${namespace}`,
    {
      method: 'DELETE',
    },
  );
  await controller?.stop();
  await removeCrds(management, [crd]);
}, 120_000);

test('is generated from its sources, and compiles on the public index alone', async () => {
  const folder = await controller.author.copy('examples/hello-controller');
  expect(await controller.author.generate(['--check'], folder)).toEqual({ code: 0, output: '' });
  expect(await controller.author.tsc(folder)).toEqual({ code: 0, output: '' });
}, 120_000);

test('has at most 120 lines', async () => {
  const sources = await Promise.all(
    ['main.ts', 'welcome.ts'].map((file) => readFile(new URL(file, EXAMPLE), 'utf8')),
  );
  expect(sources.join('').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('a welcome has a Secret of its own, its status says so, and a finalizer holds it', async () => {
  const welcome: Welcome = await manifest('welcome.yaml');
  await objects.apply(welcomes, { ...welcome, metadata: { ...welcome.metadata, namespace } });
  await eventually(async () => {
    const found = await objects.get(welcomes, key);
    expect(found.status?.text).toBe('Welcome, Ann!');
    expect(found.metadata.finalizers).toEqual(['hello.example.org/welcome']);
  });
  expect(await textInSecret()).toBe('Welcome, Ann!');
});

test('a Secret that others change or delete is repaired', async () => {
  await objects.patch(secrets, key, { data: { text: Buffer.from('Go away').toString('base64') } });
  await eventually(async () => expect(await textInSecret()).toBe('Welcome, Ann!'));
  await objects.delete(secrets, key);
  await eventually(async () => expect(await textInSecret()).toBe('Welcome, Ann!'));
});

test('a changed ConfigMap reaches the welcomes of its namespace', async () => {
  const settings = configMapManifest({ namespace, name: 'welcome-settings' }, { language: 'de' });
  await objects.apply(configMaps, settings);
  await eventually(async () => expect(await textInSecret()).toBe('Willkommen, Ann!'));
});

test('the webhook denies what the schema cannot express', async () => {
  const { management } = await controlPlanes();
  const configuration = await manifest('package/webhooks.yaml');
  const [webhook] = configuration.webhooks;
  const { path } = webhook.clientConfig.service;
  const clientConfig = { url: `https://127.0.0.1:${webhooks.port}${path}`, caBundle: webhooks.caBundle };
  await management.request('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    method: 'POST',
    body: { ...configuration, metadata: { name: namespace }, webhooks: [{ ...webhook, clientConfig }] },
  });
  const nameless = {
    apiVersion: 'hello.example.org/v1',
    kind: 'Welcome',
    metadata: { namespace, name: 'nameless' },
  };
  await eventually(async () => {
    const { status, body } = await management.request(
      `/apis/hello.example.org/v1/namespaces/${namespace}/welcomes?dryRun=All`,
      { method: 'POST', body: { ...nameless, spec: { guest: ' ' } } },
    );
    expect([status, (body as { message?: string }).message]).toEqual([
      403,
      'admission webhook "welcomes.hello.example.org" denied the request: spec.guest: a guest has a name',
    ]);
  });
});

test('a welcome is finalized before it is deleted', async () => {
  await objects.delete(welcomes, key);
  await eventually(async () => expect(await objects.find(welcomes, key)).toBeUndefined());
  expect(controller.log()).toContain('"farewell"');
});

test('it exits on SIGTERM', async () => {
  controller.server.signal('SIGTERM');
  expect(await controller.server.gone).toBe('it ended with 0');
});

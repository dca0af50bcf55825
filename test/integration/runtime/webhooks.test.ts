/** Webhooks as a real API server calls them: admission, conversion, and a certificate that is replaced. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { type Authority, createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import { nopLogger } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import {
  conversionWebhook,
  DeniedError,
  mutatingWebhook,
  validatingWebhook,
} from '../../../internal/framework/controller/webhook/webhook.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { createProvider, type Provider } from '../../../internal/framework/managed/provider.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

interface Greeting extends KubeObject {
  spec: { name?: string; times?: number };
}

const group = `${uniqueName('greetings')}.example.org`;
const type = { group, version: 'v1', kind: 'Greeting', plural: 'greetings', namespaced: false };

let management: ControlPlaneAccess;
let folder: string;
let port: number;
let client: RestClient;
let provider: Provider;
let ended: Promise<void>;
const stopping = new AbortController();

beforeAll(async () => {
  management = (await controlPlanes()).management;
  folder = await mkdtemp(join(tmpdir(), 'kyma-webhooks-'));
  port = await freePort();
  const authority = await createAuthority('webhooks');
  await writeCertificate(authority);
  client = createKubeClient({ config: parseUntrustedKubeconfig(management.kubeconfig), clock: systemClock });
  provider = createProvider({
    client,
    log: nopLogger,
    settings: {
      metricsAddress: '0',
      healthAddress: '127.0.0.1:0',
      webhookAddress: `127.0.0.1:${port}`,
      webhookCertificateFolder: folder,
    },
  });
  provider.addWebhook(
    validatingWebhook<Greeting>(type, ({ object }) => {
      if (object?.spec.name === 'nobody') throw new DeniedError('spec.name: nobody cannot be greeted');
    }),
  );
  provider.addWebhook(
    mutatingWebhook<Greeting>(type, (object) => {
      object.spec.times ??= 1;
    }),
  );
  provider.addWebhook(conversionWebhook((object, apiVersion) => ({ ...object, apiVersion })));
  ended = provider.run(stopping.signal);
  ended.catch(() => undefined);
  await eventually(async () => expect(await readiness()).toContain('[+]webhook ok'));
  await installCrds(management, [greetingCrd(authority)]);
  await register('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', 'validate', authority);
  await register('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', 'mutate', authority);
});
afterAll(async () => {
  for (const plural of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    await management.request(`/apis/admissionregistration.k8s.io/v1/${plural}/${group}`, {
      method: 'DELETE',
    });
  }
  stopping.abort();
  await ended;
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

test('a denied object is not stored, and its author reads why', async () => {
  const { status, body } = await create({ name: 'nobody' });
  expect(status).toBe(403);
  expect((body as { message: string }).message).toMatch(
    /^admission webhook "validate\..*" denied the request: spec\.name: nobody cannot be greeted$/,
  );
});

test('what a mutating webhook sets is stored', async () => {
  expect(await create({ name: 'Ann' })).toMatchObject({
    status: 201,
    body: { spec: { name: 'Ann', times: 1 } },
  });
});

test('an object is converted to the requested version', async () => {
  const { body } = await create({ name: 'Bob' });
  const { name } = (body as Greeting).metadata;
  const found = await management.request(`/apis/${group}/v2/greetings/${name}`);
  expect(found).toMatchObject({ status: 200, body: { apiVersion: `${group}/v2`, spec: { name: 'Bob' } } });
});

test('a new certificate is served without a restart, and a broken one is not', async () => {
  const before = await servedFingerprint();
  await writeFile(join(folder, 'tls.crt'), 'half of a certificate');
  await writeCertificate(await createAuthority('successor'));
  await eventually(async () => expect(await servedFingerprint()).not.toBe(before));
  expect(await readiness()).toContain('[+]webhook ok');
});

test('a request that is no review is refused', async () => {
  const { status, body } = await post({ kind: 'Hello' });
  expect([status, body]).toEqual([400, expect.stringContaining('the body is no AdmissionReview')]);
});

test('a request that is larger than any review is refused', async () => {
  expect((await post({ kind: 'x'.repeat(8 * 1024 * 1024) })).status).toBe(413);
});

async function readiness(): Promise<string> {
  const { health } = provider.addresses();
  return (await fetch(`http://${health}/readyz`)).text();
}

async function writeCertificate(authority: Authority): Promise<void> {
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);
  await writeFile(join(folder, 'tls.crt'), certificate);
  await writeFile(join(folder, 'tls.key'), key);
}

async function servedFingerprint(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function post(body: unknown): Promise<{ status: number; body: string }> {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const url = `https://127.0.0.1:${port}/validate-${group.replaceAll('.', '-')}-v1-greeting`;
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(body), dispatcher });
    return { status: answer.statusCode, body: await answer.body.text() };
  } finally {
    await dispatcher.close();
  }
}

function create(spec: Greeting['spec']) {
  return management.request(`/apis/${group}/v1/greetings`, {
    method: 'POST',
    body: { apiVersion: `${group}/v1`, kind: 'Greeting', metadata: { name: uniqueName('greeting') }, spec },
  });
}

const clientConfig = (authority: Authority, path: string) => ({
  url: `https://127.0.0.1:${port}${path}`,
  caBundle: Buffer.from(authority.certificate).toString('base64'),
});

async function register(plural: string, kind: string, verb: 'validate' | 'mutate', authority: Authority) {
  const path = `/${verb}-${group.replaceAll('.', '-')}-v1-greeting`;
  const { status, body } = await management.request(`/apis/admissionregistration.k8s.io/v1/${plural}`, {
    method: 'POST',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: group },
      webhooks: [
        {
          name: `${verb}.${group}`,
          clientConfig: clientConfig(authority, path),
          rules: [
            { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources: ['greetings'] },
          ],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
        },
      ],
    },
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  // API servers load a configuration by a watch.
  await eventually(async () => {
    if (verb === 'validate') expect((await create({ name: 'nobody' })).status).toBe(403);
    else expect((await create({})).body).toMatchObject({ spec: { times: 1 } });
  });
}

function greetingCrd(authority: Authority) {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { name: { type: 'string' }, times: { type: 'integer' } } },
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `greetings.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: 'Greeting', plural: 'greetings' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: clientConfig(authority, '/convert'), conversionReviewVersions: ['v1'] },
      },
    },
  };
}

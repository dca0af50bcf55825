/**
 * What tenants may write and what is meant to cost much, one input after the other: the event loop goes on, the memory stays within the
 * limit of the chart, and an instance of another tenant is Ready in its usual time. The limits of time are relative to a
 * calibration without such inputs in the same run. `make test-faults` has more inputs.
 */
import '../harness/timeout.ts';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { type ResourceType, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { costlyAnnotations, costlyParameters, costlyTemplates } from '../../inputs/arbitraries/costly.ts';
import { hostileJson, hostileText, jsonText } from '../../inputs/arbitraries/hostile.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { type CostMeter, createCostMeter } from '../harness/provider/cost-meter.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import { createNamespace, type InstanceOfTest } from './objects-of-test.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 3 });
/** Instances of a megabyte, together more than the memory of the chart. */
const LARGE_INSTANCES = long ? 250 : 8;

let environment: BtpEnvironment;
let provider: ProviderProcess;
let folder: string;
let env: Readonly<Record<string, string>>;
let webhookPort: number;
let tenant: InstanceOfTest;
let meter: CostMeter;

/** Applies the object, waits until the provider has reported about it, and deletes it. */
async function reported<T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>): Promise<void> {
  const { metadata } = object;
  const key = { namespace: metadata.namespace ?? '', name: metadata.name };
  // The API server refuses some inputs: those do no harm.
  const accepted = await environment.objects.apply<KubeObject>(type, object).catch(() => undefined);
  if (accepted === undefined) return;
  await eventually(async () => {
    const found = await environment.objects.find<KubeObject>(type, key);
    expect((found as { status?: { conditions?: unknown[] } }).status?.conditions).not.toEqual([]);
    expect(JSON.stringify(found)).toContain('"lastTransitionTime"');
  });
  await environment.objects.delete(type, key);
}

const instanceWith = (spec: object, namespace = tenant.name) => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceInstance',
  metadata: { namespace, name: uniqueName('costly') },
  spec: { serviceOfferingName: 'sample', servicePlanName: 'standard', ...spec },
});

const bindingWith = (spec: object) => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceBinding',
  metadata: { namespace: tenant.name, name: uniqueName('costly') },
  spec: { serviceInstanceName: tenant.name, ...spec },
});

async function post(path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const sent = request({
    host: '127.0.0.1',
    port: webhookPort,
    path,
    method: 'POST',
    headers,
    rejectUnauthorized: false,
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
}

const reviews = fc
  .tuple(
    fc.constantFrom('serviceinstance', 'servicebinding'),
    fc.oneof(
      hostileJson,
      costlyParameters.map((text): unknown => JSON.parse(text)),
    ),
  )
  .map(([kind, value]) => ({
    path: `/mutate-services-cloud-sap-com-v1-${kind}`,
    body: jsonText({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        operation: 'CREATE',
        object: { metadata: { name: 'a' }, spec: { parameters: value } },
      },
    }),
  }));

interface Attack {
  readonly name: string;
  /** With how to send each of them. */
  readonly inputs: fc.Arbitrary<() => Promise<void>>;
}

const attacks: readonly Attack[] = [
  {
    name: 'templates of Secrets',
    inputs: costlyTemplates.map(
      (secretTemplate) => () => reported(serviceBindings, bindingWith({ secretTemplate }) as never),
    ),
  },
  {
    name: 'parameters',
    inputs: costlyParameters.map(
      (text) => () => reported(serviceInstances, instanceWith({ parameters: JSON.parse(text) }) as never),
    ),
  },
  {
    name: 'Secrets with parameters',
    inputs: costlyParameters.map((text) => async () => {
      const name = uniqueName('parameters');
      const manifest = secretManifest({ namespace: tenant.name, name }, { text });
      if ((await environment.objects.apply(secrets, manifest).catch(() => undefined)) === undefined) return;
      const reference = { secretKeyRef: { name, key: 'text' } };
      const parametersFrom = Array.from({ length: 60 }, () => reference);
      await reported(serviceInstances, instanceWith({ parametersFrom }) as never);
    }),
  },
  {
    name: 'metadata of Secrets',
    inputs: costlyAnnotations.map((annotations) => async () => {
      const manifest = secretManifest({ namespace: tenant.name, name: uniqueName('marked') }, {});
      const labels = { 'services.cloud.sap.com/watch-secret': 'true' };
      for (let version = 0; version < 10; version++) {
        const metadata = { ...manifest.metadata, labels: { ...labels, version: `${version}` }, annotations };
        await environment.objects.apply(secrets, { ...manifest, metadata }).catch(() => undefined);
      }
    }),
  },
  {
    name: 'credentials',
    inputs: fc.tuple(hostileText, fc.constantFrom(10, 60_000)).map(([text, times]) => async () => {
      const namespace = uniqueName('hostile');
      await createNamespace(environment.objects, namespace);
      const fields = ['clientid', 'clientsecret', 'sm_url', 'tokenurl', 'tls.crt', 'tls.key'];
      const value = (text || 'x').repeat(Math.ceil(times / (text.length || 1)));
      const data = Object.fromEntries(fields.map((field) => [field, value]));
      const key = { namespace, name: 'sap-btp-service-operator' };
      const manifest = secretManifest(key, data);
      if ((await environment.objects.apply(secrets, manifest).catch(() => undefined)) === undefined) return;
      await reported(serviceInstances, instanceWith({}, namespace) as never);
    }),
  },
  {
    name: 'bodies of webhooks',
    inputs: reviews.map(
      ({ path, body }) =>
        () =>
          post(path, body),
    ),
  },
];

beforeAll(async () => {
  environment = await startBtpEnvironment();
  folder = await mkdtemp(join(tmpdir(), 'kyma-hostile-'));
  const { certificate, key } = await (await createAuthority('webhooks')).issueServer(['127.0.0.1']);
  await Promise.all([
    writeFile(join(folder, 'tls.crt'), certificate),
    writeFile(join(folder, 'tls.key'), key),
  ]);
  webhookPort = await freePort();
  meter = await createCostMeter({
    long,
    bystander: async () => {
      const other = await environment.instance();
      await other.create();
      return { untilReady: () => other.until('Ready', /^True/), remove: other.delete };
    },
  });
  env = { ...meter.env, ENABLE_WEBHOOKS: 'true', WEBHOOK_CERT_DIR: folder, WEBHOOK_PORT: `${webhookPort}` };
  provider = await environment.start(env);
  tenant = await environment.instance();
  await tenant.create();
  await tenant.until('Ready', /^True/);
  await meter.calibrate(() => reported(serviceBindings, bindingWith({}) as never));
});
afterAll(async () => {
  await environment?.stop();
  await meter?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test.each(attacks)(
  '$name that are meant to cost much delay neither the event loop nor others',
  async ({ inputs }) => {
    for (const [number, attack] of fc.sample(inputs, { seed, numRuns: runs }).entries())
      await meter.expectUsual(`input ${number} of seed ${seed}`, attack);
  },
  long ? 3_600_000 : 120_000,
);

test('afterwards the provider is healthy, and the memory is back where it was', async () => {
  expect((await provider.get('/healthz')).status).toBe(200);
  if (long) await meter.untilMemoryIsBack();
});

test('more instances of a megabyte than fit into the memory are reconciled, also after a start', async () => {
  const since = Date.now();
  const parameters = { text: 'x'.repeat(900_000) };
  const names: string[] = [];
  await meter.expectUsual('while large instances of another tenant are created', async () => {
    for (let number = 0; number < LARGE_INSTANCES; number++) {
      const instance = instanceWith({ parameters });
      names.push(instance.metadata.name);
      await environment.objects.apply<KubeObject>(serviceInstances, instance);
    }
  });
  const untilReady = async () => {
    for (const name of names) {
      const key = { namespace: tenant.name, name };
      await eventually(async () =>
        expect(await environment.objects.find(serviceInstances, key)).toMatchObject({
          status: { ready: 'True' },
        }),
      );
    }
  };
  await untilReady();
  await provider.kill();
  provider = await environment.start(env);
  // It leads only when the Lease of the killed process has expired.
  const first = await environment.instance();
  await first.create();
  await first.until('Ready', /^True/);
  await meter.expectUsual('after a start with large instances', async () => undefined);
  await meter.expectMemoryBounded(since);
}, 600_000);

/**
 * What tenants may write and what is meant to cost much, one input after the other: the event loop goes on, the memory stays within the
 * limit of the chart, and an instance of another tenant is Ready in its usual time. The limits of time are relative to a
 * calibration without such inputs in the same run. `make test-faults` has more inputs.
 */
import '../harness/timeout.ts';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { type ResourceType, secrets } from '../../../internal/kube/object/resource-type.ts';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { costlyAnnotations, costlyParameters, costlyTemplates } from '../../inputs/arbitraries/costly.ts';
import { hostileJson, hostileText, jsonText } from '../../inputs/arbitraries/hostile.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import { createNamespace, type InstanceOfTest } from './objects-of-test.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 3 });
const MIB = 1024 * 1024;
/** Of the event loop. In the short form other tests run on the machine. */
const MAX_DELAY_MS = long ? 250 : 1500;
/** Times the calibration: other tests run beside this one. */
const TOLERANCE = 4;
const MARGIN_MS = long ? 1000 : 5000;
const CALIBRATIONS = 5;

let environment: BtpEnvironment;
let provider: ProviderProcess;
let folder: string;
let webhookPort: number;
let tenant: InstanceOfTest;
let usual: Measurement;
let memoryLimit: number;

interface Measurement {
  /** Until an instance of another tenant was Ready. */
  readonly readyMs: number;
  /** The longest of the event loop. */
  readonly delayMs: number;
  /** The highest resident memory, threads included, in bytes. */
  readonly peakBytes: number;
}

/** Creates an instance of another tenant while `attack` goes on. */
async function measured(attack: () => Promise<void>): Promise<Measurement> {
  const other = await environment.instance();
  const from = Date.now();
  const attacked = attack();
  await other.create();
  await other.until('Ready', /^True/);
  const readyMs = Date.now() - from;
  await attacked;
  await other.delete();
  const samples = await samplesSince(from);
  return {
    readyMs,
    delayMs: Math.max(...samples.map(({ delayMs }) => delayMs)),
    peakBytes: Math.max(...samples.map(({ bytes }) => bytes)),
  };
}

/** What the program has written (harness/provider/event-loop-delay.mjs). */
async function samplesSince(from: number) {
  const lines = (await readFile(join(folder, 'event-loop'), 'utf8')).trim().split('\n');
  const samples = lines.map((line) => line.split(' ').map(Number));
  return samples
    .map(([at = 0, delayMs = 0, bytes = 0]) => ({ at, delayMs, bytes }))
    .filter(({ at }) => at >= from);
}

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
  environment = await startBtpEnvironment('btp-hostile');
  folder = await mkdtemp(join(tmpdir(), 'kyma-hostile-'));
  const { certificate, key } = await (await createAuthority('webhooks')).issueServer(['127.0.0.1']);
  await Promise.all([
    writeFile(join(folder, 'tls.crt'), certificate),
    writeFile(join(folder, 'tls.key'), key),
  ]);
  webhookPort = await freePort();
  const chart = new URL('../../../package/btp/chart/values.yaml', import.meta.url);
  memoryLimit = Number.parseInt(parse(await readFile(chart, 'utf8')).manager.memory_limit, 10) * MIB;
  provider = await environment.start({
    NODE_OPTIONS: `--import=${new URL('../harness/provider/event-loop-delay.mjs', import.meta.url)}`,
    EVENT_LOOP_FILE: join(folder, 'event-loop'),
    ENABLE_WEBHOOKS: 'true',
    WEBHOOK_CERT_DIR: folder,
    WEBHOOK_PORT: `${webhookPort}`,
  });
  tenant = await environment.instance();
  await tenant.create();
  await tenant.until('Ready', /^True/);
  const calibrations: Measurement[] = [];
  for (let number = 0; number < CALIBRATIONS; number++)
    calibrations.push(await measured(() => reported(serviceBindings, bindingWith({}) as never)));
  const highest = (of: (each: Measurement) => number) => Math.max(...calibrations.map(of));
  usual = {
    readyMs: highest(({ readyMs }) => readyMs),
    delayMs: highest(({ delayMs }) => delayMs),
    peakBytes: highest(({ peakBytes }) => peakBytes),
  };
});
afterAll(async () => {
  await environment?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test.each(attacks)(
  '$name that are meant to cost much delay neither the event loop nor others',
  async ({ inputs }) => {
    for (const [number, attack] of fc.sample(inputs, { seed, numRuns: runs }).entries()) {
      const { readyMs, delayMs, peakBytes } = await measured(attack);
      const input = `input ${number} of seed ${seed}`;
      const most = (value: number, limit: number) => ({ input, ok: value <= limit, value, limit });
      const ok = { input, ok: true };
      expect(most(delayMs, Math.max(MAX_DELAY_MS, TOLERANCE * usual.delayMs))).toMatchObject(ok);
      expect(most(readyMs, TOLERANCE * usual.readyMs + MARGIN_MS)).toMatchObject(ok);
      expect(most(peakBytes, memoryLimit)).toMatchObject(ok);
    }
  },
  long ? 3_600_000 : 120_000,
);

test('afterwards the provider is healthy, and the memory is back where it was', async () => {
  expect((await provider.get('/healthz')).status).toBe(200);
  if (!long) return;
  const level = async () => (await samplesSince(Date.now() - 1000)).at(-1)?.bytes;
  await eventually(async () => expect(await level()).toBeLessThan(1.3 * usual.peakBytes), {
    timeoutMs: 120_000,
  });
});

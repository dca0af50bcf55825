/**
 * The telemetry of a running provider, the bundle in a process of its own: traces to an OTLP receiver, and each change
 * to a change log sidecar.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { createSecretScanner } from '../../secrets/secret-scanner.ts';
import { type ChangeLogSidecar, startChangeLogSidecar } from '../../simulators/change-log/sidecar.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../simulators/otlp/receiver.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';

const CONTROLLER = 'managed/kymainstancemapping.inventory.hana.orchestrate.cloud.sap';

const tokens: string[] = [];
let environment: FaultEnvironment;
let receiver: OtlpReceiver;
let folder: string;
let sidecar: ChangeLogSidecar;
let provider: ProviderProcess;

beforeAll(async () => {
  environment = await startFaultEnvironment({
    simulator: { onToken: (token) => tokens.push(token), tokenFormat: 'opaque' },
  });
  receiver = await startOtlpReceiver();
  folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const socketPath = join(folder, 'changelogs.sock');
  sidecar = await startChangeLogSidecar(socketPath);
  provider = await environment.run({
    args: ['--enable-changelogs', `--changelogs-socket-path=${socketPath}`],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20c3VwZXItc2VjcmV0LWhlYWRlcg==',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  });
});
afterAll(async () => {
  await environment.stop();
  await receiver.stop();
  await sidecar.stop();
  await rm(folder, { recursive: true });
});

/** The trace of the reconcile of a resource that has a span of this name. */
const traceWith = (key: string, name: string): ReceivedSpan[] => {
  const roots = receiver.spans.filter(({ attributes }) => attributes['reconcile.key'] === key);
  const traces = roots.map(({ traceId }) => receiver.spans.filter((span) => span.traceId === traceId));
  const found = traces.find((spans) => spans.some((span) => span.name === name));
  if (found === undefined) throw new Error(`no trace of ${key} with ${name}`);
  return found;
};
/** Names from a span up to the root of the trace. */
const pathOf = (span: ReceivedSpan | undefined, trace: readonly ReceivedSpan[]): string[] => {
  if (span === undefined) return [];
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...pathOf(parent, trace)];
};

describe('a mapping that is created and deleted', () => {
  test('shows as traces: a span for each reconcile, with the calls to the external API and their requests in it', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const trace = await eventually(() => traceWith(scenario.name, 'create'));
    const named = (name: string) => trace.find((span) => span.name === name);
    const root = trace.find(({ parentSpanId }) => parentSpanId === undefined);
    expect(root).toMatchObject({
      name: `reconcile ${CONTROLLER}`,
      attributes: { 'controller.name': CONTROLLER, 'reconcile.key': scenario.name },
      resource: { 'service.name': 'provider-kyma' },
    });
    for (const verb of ['connect', 'observe', 'create']) {
      expect(pathOf(named(verb), trace)).toEqual([verb, root?.name]);
    }
    const post = trace.find(({ name }) => name.startsWith('hana-cloud POST') && !name.includes('token'));
    expect(pathOf(post, trace)).toEqual([post?.name, 'create', root?.name]);
    expect(post).toMatchObject({ kind: 3, attributes: { 'http.response.status_code': 201 } });
    // The names of objects are what one searches for; IDs would make a span of its own name of each.
    expect(trace.some(({ attributes }) => `${attributes['k8s.object']}`.includes('hana-admin'))).toBe(true);
    expect(trace.filter(({ name }) => name.includes(scenario.instanceID))).toEqual([]);
    expect(receiver.complaints).toEqual([]);
  });

  test('shows in the change log: an entry for its creation and one for its deletion', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await scenario.delete();
    await scenario.untilGone();
    const entries = sidecar.received.filter(({ name }) => name === scenario.name);
    expect(entries).toMatchObject([
      { operation: 'OPERATION_TYPE_CREATE', kind: 'KymaInstanceMapping' },
      {
        operation: 'OPERATION_TYPE_DELETE',
        kind: 'KymaInstanceMapping',
        external_name: scenario.externalName,
      },
    ]);
    const [created] = entries;
    expect(created?.provider).toMatch(/^provider-kyma:\S+$/);
    expect(created?.api_version).toBe('inventory.hana.orchestrate.cloud.sap/v1alpha1');
    expect(created?.snapshot).toMatchObject({
      metadata: { name: scenario.name },
      spec: { forProvider: { serviceInstanceRef: { namespace: scenario.namespace } } },
    });
    expect(created).not.toHaveProperty('error_message');
  });

  test('shows with its error where HANA Cloud refuses it', async () => {
    const scenario = await environment.scenario();
    await scenario.applySources();
    scenario.hana.fault({ route: 'create' }, { kind: 'status', status: 403 });
    await scenario.create();
    await scenario.untilReason('Synced', 'ReconcileError');
    const entry = await eventually(() => {
      const found = sidecar.received.find(({ name }) => name === scenario.name);
      expect(found).toBeDefined();
      return found;
    });
    expect(entry).toMatchObject({
      operation: 'OPERATION_TYPE_CREATE',
      error_message: expect.stringMatching(/403/),
    });
    const trace = await eventually(() => traceWith(scenario.name, 'create'));
    const failed = trace.find(({ name }) => name === 'create');
    expect(failed).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': expect.any(String) } });
  });
});

test('no credential is in a trace, in the change log or in their error messages', async () => {
  const scenario = await environment.scenario();
  await scenario.createReady();
  await eventually(() => traceWith(scenario.name, 'create'));
  const { fields } = await environment.simulator.credentials(scenario.instanceID);
  const { clientsecret } = JSON.parse(fields.uaa ?? '{}');
  const secrets = [clientsecret, 'super-secret-header', ...tokens].map((value, n) => ({
    name: `${n}`,
    value,
  }));
  expect(secrets.length).toBeGreaterThan(2);
  const scan = createSecretScanner(secrets);
  expect([
    ...scan('traces', JSON.stringify(receiver.spans)),
    ...scan('change log', JSON.stringify(sidecar.received)),
    ...scan('log', provider.output()),
  ]).toEqual([]);
  expect(receiver.requests[0]?.headers.authorization).toContain('Basic');
});

test('telemetry that is unsent when the provider is stopped is sent before it exits', async () => {
  await provider.kill();
  const scenario = await environment.scenario();
  const late = await environment.run({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_SERVICE_NAME: 'late',
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    },
  });
  await scenario.createReady();
  await late.untilLogged('controller started');
  expect(receiver.spans.filter(({ resource }) => resource['service.name'] === 'late')).toEqual([]);
  late.signal('SIGTERM');
  expect(await late.gone).toContain('0');
  expect(receiver.spans.some(({ resource }) => resource['service.name'] === 'late')).toBe(true);
});

test('a provider with an invalid trace configuration works all the same, and reports it', async () => {
  const other = await environment.run({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' } });
  await other.untilLogged('controller started');
  expect(other.logged('tracing is disabled')).toMatchObject([
    { level: 'error', error: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT') },
  ]);
  await other.kill();
});

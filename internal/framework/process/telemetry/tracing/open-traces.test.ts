import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type OtlpReceiver, startOtlpReceiver } from '../../../../../test/simulators/otlp/receiver.ts';
import { ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { listenOnLoopback } from '../../../base/loopback.fixture.ts';
import { type Logger, nopLogger } from '../../../base/telemetry/telemetry.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { openTraces, type Traces } from './open-traces.ts';
import { type TracesOptions, traceSettings } from './trace-settings.ts';

let receiver: OtlpReceiver;
let told: string[];
const opened: Traces[] = [];
const scope = { name: 'provider-kyma', version: 'v1.2.3' };

beforeEach(async () => {
  receiver = await startOtlpReceiver();
  told = [];
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((traces) => traces.close()));
  await receiver.stop();
});

function traces(env: Record<string, string> = {}, options: Partial<TracesOptions> = {}): Traces {
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...env };
  const settings = traceSettings(all, scope);
  if (settings === undefined) throw new Error('nothing is traced');
  const log: Logger = { ...nopLogger, info: (message) => told.push(message) };
  const made = openTraces({ settings, clock: systemClock, log, scope, env: {}, ...options });
  opened.push(made);
  return made;
}

test('spans arrive as a tree, with what they say and how long they took', async () => {
  const { tracer, close } = traces();
  const before = Date.now();
  await tracer.trace({ name: 'reconcile', attributes: { 'reconcile.key': 'shop/x' } }, async (root) => {
    await tracer.span({ name: 'observe' }, async () => {
      await tracer.span({ name: 'list', kind: 'client' }, async (span) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        span.set({ 'http.response.status_code': 200, cached: false, share: 0.5 });
      });
    });
    await Promise.all(['a', 'b'].map((name) => tracer.span({ name }, async () => undefined)));
    root.set({ 'reconcile.result': 'success' });
  });
  await close();
  expect(receiver.complaints).toEqual([]);
  const byName = Object.fromEntries(receiver.spans.map((span) => [span.name, span]));
  const { reconcile, observe, list, a, b } = byName;
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(reconcile).not.toHaveProperty('parentSpanId');
  expect([observe, a, b].map((span) => span?.parentSpanId)).toEqual(Array(3).fill(reconcile?.spanId));
  expect(list).toMatchObject({
    parentSpanId: observe?.spanId,
    kind: 3,
    attributes: { 'http.response.status_code': 200, cached: false, share: 0.5 },
    status: { code: 0 },
  });
  expect(reconcile).toMatchObject({
    kind: 1,
    attributes: { 'reconcile.key': 'shop/x', 'reconcile.result': 'success' },
    resource: { 'service.name': 'provider-kyma', 'service.version': 'v1.2.3' },
  });
  const ms = (nano = '0') => Number(BigInt(nano) / 1_000_000n);
  expect(ms(list?.endTimeUnixNano) - ms(list?.startTimeUnixNano)).toBeGreaterThanOrEqual(19);
  expect(ms(reconcile?.startTimeUnixNano)).toBeGreaterThanOrEqual(before);
});

test('what failed is marked with the kind of its error, and what waits is not', async () => {
  const { tracer, close } = traces();
  const failing = (name: string, error: Error) =>
    expect(tracer.trace({ name }, () => Promise.reject(error))).rejects.toBe(error);
  await failing('auth', new ProviderError('auth', 'refused'));
  await failing('waiting', new WaitingError('Secret shop/x not found'));
  await close();
  expect(receiver.spans.map(({ name, status, attributes }) => ({ name, status, attributes }))).toEqual([
    { name: 'auth', status: { code: 2, message: 'refused' }, attributes: { 'error.type': 'auth' } },
    { name: 'waiting', status: { code: 0 }, attributes: { 'error.type': 'waiting' } },
  ]);
});

test('a credential reaches no span: neither by an attribute nor by an error', async () => {
  const { tracer, close } = traces();
  const secret = '{"clientsecret":"s3cret-value"}';
  const attributes = { body: secret };
  const failed = tracer.trace({ name: 'leaky', attributes }, async (span) => {
    span.set({ later: `Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl` });
    throw new Error(`refused: ${secret}`);
  });
  await expect(failed).rejects.toThrow();
  await close();
  expect(receiver.spans).toHaveLength(1);
  expect(JSON.stringify(receiver.spans)).not.toMatch(/s3cret-value|c2lnbmF0dXJl/);
});

test('what goes on after its reconcile has ended, and what no reconcile began, has no span', async () => {
  const { tracer, close } = traces();
  const ended = Promise.withResolvers<void>();
  let later: Promise<string> | undefined;
  await tracer.trace({ name: 'reconcile' }, async () => {
    later = ended.promise.then(() => tracer.span({ name: 'late' }, async () => 'done'));
  });
  ended.resolve();
  expect(await later).toBe('done');
  await tracer.span({ name: 'alone' }, async () => undefined);
  await close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['reconcile']);
});

test('a trace that is not sampled has no span at all', async () => {
  const { tracer, close } = traces({ OTEL_TRACES_SAMPLER: 'always_off' });
  await tracer.trace({ name: 'reconcile' }, () => tracer.span({ name: 'observe' }, async () => undefined));
  await close();
  expect(receiver.spans).toEqual([]);
  expect(told).toEqual([]);
});

test('a share of the traces is sampled, each as a whole', async () => {
  const { tracer, close } = traces({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.4' });
  for (let n = 0; n < 500; n++) {
    await tracer.trace({ name: 'reconcile' }, () => tracer.span({ name: 'observe' }, async () => undefined));
  }
  await close();
  const named = (name: string) => receiver.spans.filter((span) => span.name === name).map((s) => s.traceId);
  expect(named('reconcile').length).toBeGreaterThan(125);
  expect(named('reconcile').length).toBeLessThan(275);
  expect(named('observe').sort()).toEqual(named('reconcile').sort());
});

test('many spans go in batches, compressed if that is asked for, with the headers that are set', async () => {
  const { tracer, close } = traces({
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k%20y,x=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=2',
  });
  for (let n = 0; n < 25; n++) await tracer.trace({ name: `n${n}` }, async () => undefined);
  await close();
  expect(receiver.complaints).toEqual([]);
  expect(new Set(receiver.spans.map(({ name }) => name)).size).toBe(25);
  expect(Math.max(...receiver.requests.map(({ spans }) => spans))).toBeLessThanOrEqual(10);
  expect(receiver.requests[0]?.headers).toMatchObject({
    'api-key': 'k y',
    x: '2',
    'content-encoding': 'gzip',
  });
});

test('a receiver that is overloaded gets the spans later', async () => {
  receiver.answerNext({ status: 503, retryAfter: 1 }, { status: 429, retryAfter: 1 });
  const { tracer, close } = traces();
  await tracer.trace({ name: 'reconcile' }, async () => undefined);
  await close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['reconcile']);
  expect(told).toEqual([]);
});

test('a receiver that refuses spans is not asked again for them, and nothing fails for it', async () => {
  receiver.answerNext({ status: 400 });
  const { tracer, close } = traces();
  expect(await tracer.trace({ name: 'lost' }, async () => 'fine')).toBe('fine');
  await close();
  expect(receiver.spans).toEqual([]);
  expect(told).toEqual(['cannot send traces', 'some spans were not sent']);
});

test('failures are logged once, and so is their end', async () => {
  receiver.answerNext({ status: 400 }, { status: 400 });
  const { tracer, close } = traces({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1', OTEL_BSP_SCHEDULE_DELAY: '1' });
  for (const name of ['a', 'b', 'c']) {
    const answered = receiver.answered();
    await tracer.trace({ name }, async () => undefined);
    while (receiver.answered() === answered) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['c']);
  expect(told).toEqual(['cannot send traces', 'traces are sent again', 'some spans were not sent']);
});

test('spans that find the queue full are lost, and the log says how many', async () => {
  const { tracer, close } = traces({ OTEL_BSP_MAX_QUEUE_SIZE: '10' });
  for (let n = 0; n < 25; n++) await tracer.trace({ name: `n${n}` }, async () => undefined);
  await close();
  expect(receiver.spans.length).toBeLessThan(25);
  expect(told).toEqual(['some spans were not sent']);
});

test('a receiver that does not answer delays the end by 5 s at most', async () => {
  const accepted = Promise.withResolvers<void>();
  await using deaf = await listenOnLoopback(
    createServer((socket) => {
      socket.resume();
      accepted.resolve();
    }),
  );
  const clock = createFakeClock();
  const { tracer, close } = traces({ OTEL_EXPORTER_OTLP_ENDPOINT: deaf.url }, { clock });
  await tracer.trace({ name: 'reconcile' }, async () => undefined);
  const closed = close();
  await accepted.promise;
  await clock.advance(5000);
  await closed;
  expect(told).toContain('some spans were not sent');
});

test('the proxy of the environment is used', async () => {
  const asked = Promise.withResolvers<string>();
  await using proxy = await listenOnLoopback(
    createHttpServer((request, response) => {
      asked.resolve(`${request.url}`);
      response.end('{}');
    }),
  );
  const env = { HTTP_PROXY: proxy.url };
  const { tracer, close } = traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' }, { env });
  await tracer.trace({ name: 'reconcile' }, async () => undefined);
  await close();
  expect(await asked.promise).toBe('http://collector.example:4318/v1/traces');
});

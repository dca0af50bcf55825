import { expect, test } from '@jest/globals';
import { traceSettings } from './trace-settings.ts';

const service = { name: 'provider-kyma', version: 'v1' };
const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each<[Record<string, string>, string]>([
  [{}, 'no endpoint'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 'an empty one'],
  [{ ...base, OTEL_SDK_DISABLED: 'true' }, 'all is turned off'],
  [{ ...base, OTEL_TRACES_EXPORTER: 'none' }, 'traces are turned off'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318' }, "another signal's endpoint"],
])('%j traces nothing: %s', (env) => {
  expect(traceSettings(env, service)).toBeUndefined();
});

test.each<[Record<string, string>, string]>([
  [base, 'http://collector:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://x.example.com/otlp/' }, 'https://x.example.com/otlp/v1/traces'],
  [{ ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo:4318/here' }, 'http://tempo:4318/here'],
])('%j sends to %s', (env, endpoint) => {
  expect(traceSettings(env, service)?.endpoint.href).toBe(endpoint);
});

test('defaults are those of the specification', () => {
  expect(traceSettings(base, service)).toMatchObject({
    headers: {},
    timeoutMs: 10_000,
    gzip: false,
    ratio: 1,
    delayMs: 5000,
    maxQueue: 2048,
    maxBatch: 512,
    resource: { 'service.name': 'provider-kyma', 'service.version': 'v1' },
  });
});

test("the traces' own variables go first, and the service may have another name", () => {
  const settings = traceSettings(
    {
      ...base,
      OTEL_EXPORTER_OTLP_TIMEOUT: '1',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,k8s.pod.name=p%2C1',
    },
    service,
  );
  expect(settings).toMatchObject({
    timeoutMs: 2,
    gzip: true,
    ratio: 0.25,
    resource: { 'service.name': 'mine', 'k8s.pod.name': 'p,1' },
  });
});

test.each<[Record<string, string>, RegExp]>([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${'NaN'.repeat(23_000)}` },
    /cannot use OTEL_EXPORTER_OTLP_ENDPOINT/,
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /cannot use OTEL_EXPORTER_OTLP_ENDPOINT/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:pass@x' }, /cannot use OTEL_EXPORTER_OTLP_ENDPOINT/],
  [{ ...base, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /by the protocol grpc/],
  [{ ...base, OTEL_EXPORTER_OTLP_HEADERS: 'api-key' }, /cannot use OTEL_EXPORTER_OTLP_HEADERS/],
  [
    { ...base, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=pass%0Aword' },
    /^cannot use OTEL_EXPORTER_OTLP_HEADERS: a name or value that no HTTP header can hold$/,
  ],
  [{ ...base, OTEL_EXPORTER_OTLP_HEADERS: 'a b=c' }, /cannot use OTEL_EXPORTER_OTLP_HEADERS/],
  [{ ...base, OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' }, /cannot use OTEL_EXPORTER_OTLP_TIMEOUT/],
  [{ ...base, OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /cannot use the sampler "jaeger_remote"/],
  [
    { ...base, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    /cannot use OTEL_TRACES_SAMPLER_ARG/,
  ],
])('%j is refused, and no value that may be secret is quoted', (env, message) => {
  expect(() => traceSettings(env, service)).toThrow(message);
  expect(() => traceSettings(env, service)).not.toThrow(/pass|api-key/);
});

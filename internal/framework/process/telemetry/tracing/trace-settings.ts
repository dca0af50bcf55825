/**
 * Reads the environment variables of OpenTelemetry for traces. Names, defaults and precedence are those of its
 * specification ("OTLP Exporter", "SDK environment variables").
 */

import type { Deps } from '../../../base/deps.ts';
import { ProviderError } from '../../../base/errors/errors.ts';
import { trimTrailing } from '../../../base/text/text.ts';

export interface TraceSettings {
  /** The endpoint, e.g. `/v1/traces` of a collector. */
  readonly endpoint: URL;
  /** HTTP headers; may contain credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout of one request, in ms; default 10000. */
  readonly timeoutMs: number;
  /** Default false. */
  readonly gzip: boolean;
  /** Share of sampled traces; default 1. */
  readonly ratio: number;
  /** Maximum delay before spans are sent, in ms; default 5000. */
  readonly delayMs: number;
  /** Maximum number of waiting spans; further ones are dropped. Default 2048. */
  readonly maxQueue: number;
  /** Spans in one request; default 512. */
  readonly maxBatch: number;
  /** Resource attributes, `service.name` first. */
  readonly resource: Readonly<Record<string, string>>;
}

/** Options of the tracer and the exporter. */
export interface TracesOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly settings: TraceSettings;
  /** Name and version of the instrumentation scope. */
  readonly scope: { readonly name: string; readonly version: string };
  /** For proxy settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Undefined if no endpoint is set, or traces are disabled.
 *
 * @throws a `terminal` ProviderError if a variable is invalid; it quotes none that may contain a credential
 */
export function traceSettings(
  env: Readonly<Record<string, string | undefined>>,
  service: { readonly name: string; readonly version: string },
): TraceSettings | undefined {
  const endpoint = endpointIn(env);
  if (endpoint === undefined || isOff(env)) return undefined;
  assertHttp(env);
  const attributes = pairs('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES);
  const name = env.OTEL_SERVICE_NAME || attributes['service.name'] || service.name;
  return {
    endpoint,
    headers: {
      ...headers('OTEL_EXPORTER_OTLP_HEADERS', env),
      ...headers('OTEL_EXPORTER_OTLP_TRACES_HEADERS', env),
    },
    timeoutMs: number(
      env,
      'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
      number(env, 'OTEL_EXPORTER_OTLP_TIMEOUT', 10_000),
    ),
    gzip: setting(env, 'COMPRESSION') === 'gzip',
    ratio: ratioIn(env),
    delayMs: number(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000),
    maxQueue: number(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    maxBatch: number(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    resource: { 'service.version': service.version, ...attributes, 'service.name': name },
  };
}

function isOff(env: Environment): boolean {
  const exporter = env.OTEL_TRACES_EXPORTER || 'otlp';
  return env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || !exporter.split(',').includes('otlp');
}

/** The setting for traces overrides that for all signals. */
const setting = (env: Environment, name: string) =>
  env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];

function endpointIn(env: Environment): URL | undefined {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (own) return url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own);
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base ? url('OTEL_EXPORTER_OTLP_ENDPOINT', `${trimTrailing(base, '/')}/v1/traces`) : undefined;
}

function url(name: string, text: string): URL {
  // Not URL.canParse, which accepts some hosts that the constructor refuses.
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new ProviderError('terminal', `cannot use ${name}: not a URL that begins with http:// or https://`);
  }
  return parsed;
}

/** Receivers accept JSON and protobuf at the same address; gRPC has another one. */
function assertHttp(env: Environment): void {
  const protocol = setting(env, 'PROTOCOL');
  if (protocol !== 'grpc') return;
  throw new ProviderError(
    'terminal',
    'cannot send traces by the protocol grpc: set OTEL_EXPORTER_OTLP_PROTOCOL to http/json, and the port of OTLP over HTTP, usually 4318',
  );
}

function ratioIn(env: Environment): number {
  const sampler = (env.OTEL_TRACES_SAMPLER || 'parentbased_always_on').replace(/^parentbased_/, '');
  switch (sampler) {
    case 'always_on':
      return 1;
    case 'always_off':
      return 0;
    case 'traceidratio': {
      const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || 1);
      if (ratio >= 0 && ratio <= 1) return ratio;
      throw new ProviderError('terminal', 'cannot use OTEL_TRACES_SAMPLER_ARG: not a number from 0 to 1');
    }
    default:
      throw new ProviderError(
        'terminal',
        `cannot use the sampler ${JSON.stringify(sampler)} of OTEL_TRACES_SAMPLER`,
      );
  }
}

function number(env: Environment, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new ProviderError('terminal', `cannot use ${name}: not a whole number above 0`);
  }
  return Number(text);
}

/** Names are tokens and values have no control characters (RFC 9110, section 5). Node would refuse each request. */
function headers(variable: string, env: Environment): Record<string, string> {
  const found = pairs(variable, env[variable]);
  const invalid = Object.entries(found).some(
    ([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );
  if (!invalid) return found;
  throw new ProviderError('terminal', `cannot use ${variable}: a name or value that no HTTP header can hold`);
}

/** `name=value,name=value`, percent-encoded. */
function pairs(name: string, text = ''): Record<string, string> {
  const entries = text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      if (at < 1)
        throw new ProviderError('terminal', `cannot use ${name}: not of the form name=value,name=value`);
      return [decode(entry.slice(0, at).trim()), decode(entry.slice(at + 1).trim())];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ObservedOutput } from '../../internal/base/telemetry/observed-output.ts';
import { redact } from '../../internal/base/text/redact.ts';
import type { ObservedWrite, StoredObject } from '../../internal/kube/fakes/memory-cluster.ts';
import type { Secret } from '../../internal/kube/object/object.ts';
import { createSecretScanner, type Secret as NamedSecret } from '../secrets/secret-scanner.ts';
import { originIn } from './origin.ts';
import { reportViolation } from './violations.ts';

/** Something that the program wrote, and where: the stack is made into text only if it contains a secret. */
interface Written {
  readonly kind: string;
  readonly content: string;
  readonly by: Error;
}

export interface TaintGuard {
  /** At the end of a test: reports values of Secrets in what was written since the last call. */
  check(): void;
  stop(): void;
}

/** More is checked at once, so that a long campaign of faults does not keep all that it wrote. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * No value of a Secret in memory is in an object that is none, in an event, a log line or a label of a metric: raw, in base64,
 * or escaped for URLs and JSON. Texts are redacted as their sinks do it.
 */
export function guardTaint(channels: {
  readonly stored: string;
  readonly writes: string;
  readonly output: string;
}): TaintGuard {
  const secrets = new Map<string, NamedSecret>();
  let written: Written[] = [];
  let bytes = 0;
  const add = (kind: string, content: string) => {
    written.push({ kind, content, by: new Error() });
    bytes += content.length;
    if (bytes > MAX_BYTES) check();
  };
  const check = () => {
    const scanned = written;
    written = [];
    bytes = 0;
    if (secrets.size === 0 || scanned.length === 0) return;
    const scan = createSecretScanner([...secrets.values()], SHORTEST);
    if (scan('', scanned.map(({ content }) => content).join('\n')).length === 0) return;
    for (const { kind, content, by } of scanned) {
      const [leak] = scan(kind, content);
      const origin = leak && originIn(by.stack ?? '', FIXTURE);
      if (leak === undefined || origin?.isProgram === false) continue;
      const details = `${leak.secret}, ${leak.form}`;
      const where = origin?.where ?? 'unknown';
      reportViolation({ guard: 'taint', where, what: `value of a Secret in ${kind}`, details });
    }
  };
  const onStored = (message: unknown) => {
    const { type, object } = message as StoredObject;
    if (type.plural === 'secrets' && type.group === '') addValues(secrets, object);
  };
  const onWrite = (message: unknown) => {
    const { type, body, verb } = message as ObservedWrite;
    if (type.plural !== 'secrets') {
      if (body !== undefined) add(type.plural, JSON.stringify(body));
    } else if (verb !== 'create') addValues(secrets, body as Secret | undefined);
  };
  const onOutput = (message: unknown) => {
    const { kind, content } = message as ObservedOutput;
    add(`a ${kind}`, redact(textOf(content)));
  };
  const handlers = [
    [channels.stored, onStored],
    [channels.writes, onWrite],
    [channels.output, onOutput],
  ] as const;
  for (const [channel, handler] of handlers) subscribe(channel, handler);
  return {
    check: () => {
      check();
      secrets.clear();
    },
    stop: () => {
      for (const [channel, handler] of handlers) unsubscribe(channel, handler);
    },
  };
}

/** Loggers of fixtures. */
const FIXTURE = /\.fixture\.ts$/;
/** Characters; tests have no values that occur by chance if they are longer. */
const SHORTEST = 10;
/** Members of credentials that say which they are, or are public. */
const PUBLIC_NAME =
  /(url|uri|host|endpoint|domain|name|user|id|type|mode|zone|tags|cert\w*|crt|ca|metadata|plan|offering)$/i;
const PUBLIC_VALUE = /^(https?:\/\/|[\da-f]{8}-[\da-f]{4}-|-----BEGIN CERTIFICATE)/i;
const IN_KUBECONFIG = /^\s*(?:token|client-key-data|password): *["']?([^\s"']+)/gm;

function addValues(secrets: Map<string, NamedSecret>, secret: Secret | undefined): void {
  for (const [key, encoded] of Object.entries(secret?.data ?? {}))
    if (typeof encoded === 'string')
      for (const value of valuesOf(key, Buffer.from(encoded, 'base64').toString()))
        if (value.length >= SHORTEST && !PUBLIC_VALUE.test(value))
          secrets.set(value, { name: `key ${key}`, value });
}

/** The parts of a value that are secret. */
function valuesOf(name: string, value: string): readonly string[] {
  if (value.startsWith('{')) {
    try {
      return leavesOf(name, JSON.parse(value));
    } catch {
      // A text that begins with a brace.
    }
  }
  if (/^kind: Config$/m.test(value)) return [...value.matchAll(IN_KUBECONFIG)].map(([, text = '']) => text);
  return PUBLIC_NAME.test(name) ? [] : [value];
}

function leavesOf(name: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return PUBLIC_NAME.test(name) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, each]) =>
    leavesOf(Array.isArray(value) ? name : member, each),
  );
}

function textOf(content: unknown): string {
  return (
    JSON.stringify(content, (_name, value: unknown) =>
      value instanceof Error ? `${value.message} ${textOf(value.cause)}` : value,
    ) ?? ''
  );
}

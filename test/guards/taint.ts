import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ObservedOutput } from '../../internal/framework/base/telemetry/telemetry.ts';
import { redact } from '../../internal/framework/base/text/redact.ts';
import type { ObservedRequest } from '../../internal/framework/http/transport/send-request.ts';
import type { ObservedWrite, StoredObject } from '../../internal/framework/kube/fakes/memory-cluster.ts';
import type { Secret } from '../../internal/framework/kube/object/object.ts';
import { createSecretScanner } from '../secrets/secret-scanner.ts';
import { kubeRequestOf } from './kube-request.ts';
import { markCall, originOf } from './origin.ts';
import { newProcessOutput } from './process-logs.ts';
import { type SecretValue, SHORTEST, secretValues } from './secret-values.ts';
import { reportViolation } from './violations.ts';

/** Something that the program wrote, and where: the stack is made into text only if it contains a secret. */
interface Written {
  readonly kind: string;
  readonly content: string;
  /** Undefined: a process of the program. */
  readonly by: Error | undefined;
}

export interface TaintGuard {
  /** At the end of a test: reports values of Secrets in what was written since the last call. */
  check(): void;
  stop(): void;
}

/** More is checked at once, so that a long campaign of faults does not keep all that it wrote. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * No value of a Secret that is stored in memory, or by a request of this process, is in an object that is none, in an event, a
 * log line, a label of a metric or the output of a process: raw, in base64, or escaped for URLs and JSON. Texts are redacted
 * as their sinks do it.
 */
export function guardTaint(channels: {
  readonly stored: string;
  readonly writes: string;
  readonly output: string;
  readonly requests: string;
}): TaintGuard {
  /** Of one test. */
  const secrets = new Map<string, SecretValue>();
  /** On real servers, for all tests of a file. */
  const stored = new Map<string, SecretValue>();
  let written: Written[] = [];
  /** What is shown again, as labels of metrics are, has the origin of the first time. */
  let shown = new Set<string>();
  let bytes = 0;
  const add = (kind: string, content: string, by: Error | undefined) => {
    written.push({ kind, content, by });
    bytes += content.length;
    if (bytes > MAX_BYTES) check();
  };
  const check = () => {
    const scanned = written;
    written = [];
    shown = new Set();
    bytes = 0;
    const all = [...secrets.values(), ...stored.values()];
    if (all.length === 0 || scanned.length === 0) return;
    const scan = createSecretScanner(all, SHORTEST);
    if (scan('', scanned.map(({ content }) => content).join('\n')).length === 0) return;
    for (const { kind, content, by } of scanned) {
      const [leak] = scan(kind, content);
      const origin = leak && by && originOf(by, FIXTURE);
      if (leak === undefined || origin?.isProgram === false) continue;
      const details = `${leak.secret}, ${leak.form}`;
      const where = origin?.where ?? 'unknown';
      reportViolation({ guard: 'taint', where, what: `value of a Secret in ${kind}`, details });
    }
  };
  const onStored = (message: unknown) => {
    const { type, object } = message as StoredObject;
    if (type.plural === 'secrets' && type.group === '') note(secrets, object);
  };
  const onRequest = (message: unknown) => {
    const request = message as ObservedRequest;
    const target = kubeRequestOf(request);
    if (target === undefined || request.method === 'GET' || request.body === undefined) return;
    if (target.type.plural !== 'secrets') add(target.type.plural, request.body, markCall());
    else if (request.method !== 'DELETE') note(stored, parsed(request.body));
  };
  const onWrite = (message: unknown) => {
    const { type, body, verb } = message as ObservedWrite;
    if (type.plural !== 'secrets') {
      if (body !== undefined) add(type.plural, JSON.stringify(body), markCall());
    } else if (verb !== 'create') note(secrets, body as Secret | undefined);
  };
  const onOutput = (message: unknown) => {
    const { kind, content } = message as ObservedOutput;
    const text = redact(textOf(content));
    if (shown.has(text)) return;
    shown.add(text);
    add(`a ${kind}`, text, markCall());
  };
  const handlers = [
    [channels.stored, onStored],
    [channels.writes, onWrite],
    [channels.output, onOutput],
    [channels.requests, onRequest],
  ] as const;
  for (const [channel, handler] of handlers) subscribe(channel, handler);
  return {
    check: () => {
      for (const text of newProcessOutput()) add('the output of a process', text, undefined);
      check();
      secrets.clear();
    },
    stop: () => {
      for (const [channel, handler] of handlers) unsubscribe(channel, handler);
    },
  };
}

/** Loggers of fixtures, and the connections of campaigns. */
const FIXTURE = /\.fixture\.ts$|^test\/campaign\/actions\/network\.ts$/;

function note(values: Map<string, SecretValue>, secret: Secret | undefined): void {
  for (const each of secretValues(secret)) values.set(each.value, each);
}

/** Undefined: a patch that is no object. */
function parsed(body: string): Secret | undefined {
  const value: unknown = JSON.parse(body);
  return Array.isArray(value) ? undefined : (value as Secret);
}

function textOf(content: unknown): string {
  return (
    JSON.stringify(content, (_name, value: unknown) =>
      value instanceof Error ? `${value.message} ${textOf(value.cause)}` : value,
    ) ?? ''
  );
}

/**
 * The change log of Crossplane: a sidecar receives an entry for each attempt to change an external resource, over a
 * Unix socket in a shared volume. This file and gRPC are loaded only with `--enable-changelogs`; see
 * docs/decisions/0014 for the cost.
 */
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Deps } from '../../base/deps.ts';
import { ProviderError, wrap } from '../../base/errors/errors.ts';
import { withDeadline } from '../../base/time/clock.ts';
import type { ChangeEntry, Operation } from './change-entry.ts';

export interface ChangeLog {
  /**
   * Sends one entry; waits up to 10 s for the sidecar.
   *
   * @throws `cannot send change log entry: …`
   */
  send(entry: Omit<ChangeEntry, 'provider'>, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface ChangeLogOptions extends Pick<Deps, 'clock'> {
  /** Name and version: `provider-kyma:v1.2.3`. */
  readonly provider: string;
  /** Path of the socket of the sidecar. */
  readonly socketPath: string;
}

const METHOD = '/changelogs.proto.v1alpha1.ChangeLogService/SendChangeLog';

/** Deadline of one entry, including the wait for the sidecar. */
const SEND_TIMEOUT_MS = 10_000;

/** The delay between attempts to connect doubles from `initial` to `max`. */
const RECONNECT_MS = { initial: 100, max: 1000 };

export function createChangeLog({ provider, socketPath, clock }: ChangeLogOptions): ChangeLog {
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.initial,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS.max,
    'grpc.enable_channelz': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
  });
  return {
    send: async (entry, signal) => {
      using deadline = withDeadline(clock, SEND_TIMEOUT_MS, `the change log at ${socketPath}`, signal);
      try {
        await call(client, encodeSendChangeLogRequest({ ...entry, provider }), deadline.signal);
      } catch (error) {
        throw wrap(error, 'cannot send change log entry');
      }
    },
    close: () => client.close(),
  };
}

/** Resolves when the server has received the message; its response is empty. */
function call(client: Client, message: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const metadata = new Metadata({ waitForReady: true });
    const onEnd = (error: ServiceError | null) => {
      signal.removeEventListener('abort', onAbort);
      if (error === null) resolve();
      else reject(signal.aborted ? signal.reason : failed(error));
    };
    const pending = client.makeUnaryRequest(METHOD, encoded, ignored, message, metadata, onEnd);
    const onAbort = () => pending.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

const encoded = (message: Uint8Array) => Buffer.from(message);
const ignored = () => undefined;

const failed = ({ code, details }: ServiceError) =>
  new ProviderError('transient', details === '' ? status[code] : `${status[code]}: ${details}`);

/** `OPERATION_TYPE_…`; 0 is unspecified. */
const OPERATIONS: Readonly<Record<Operation, number>> = { create: 1, update: 2, delete: 3 };

/** A `SendChangeLogRequest` of `changelogs.proto.v1alpha1`. */
function encodeSendChangeLogRequest(entry: ChangeEntry): Uint8Array {
  return bytes(1, encodeChangeLogEntry(entry));
}

function encodeChangeLogEntry(entry: ChangeEntry): Uint8Array {
  const { apiVersion, kind, metadata } = entry.snapshot;
  return message(
    bytes(1, encodeTimestamp(entry.at)),
    ...optionalText(2, entry.provider),
    ...optionalText(3, apiVersion),
    ...optionalText(4, kind),
    ...optionalText(5, metadata.name),
    ...optionalText(6, entry.externalName),
    integer(7, OPERATIONS[entry.operation]),
    bytes(8, encodeStruct(entry.snapshot)),
    ...(entry.errorMessage === undefined ? [] : [text(9, entry.errorMessage)]),
    ...Object.entries(entry.additionalDetails).map(([key, value]) =>
      bytes(10, message(text(1, key), text(2, value))),
    ),
  );
}

/** `google.protobuf.Timestamp`. */
function encodeTimestamp(ms: number): Uint8Array {
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1e6);
  return message(integer(1, seconds), ...(nanos === 0 ? [] : [integer(2, nanos)]));
}

/** `google.protobuf.Struct`. */
function encodeStruct(object: object): Uint8Array {
  return message(
    ...Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => bytes(1, message(text(1, key), bytes(2, encodeValue(value))))),
  );
}

/** `google.protobuf.Value`, a oneof: zero values are written. */
function encodeValue(value: unknown): Uint8Array {
  switch (typeof value) {
    case 'number':
      return double(2, value);
    case 'string':
      return text(3, value);
    case 'boolean':
      return integer(4, value ? 1 : 0);
    case 'object': {
      if (value === null) break;
      if (!Array.isArray(value)) return bytes(5, encodeStruct(value));
      return bytes(6, message(...value.map((item) => bytes(1, encodeValue(item)))));
    }
  }
  return integer(1, 0);
}

const optionalText = (field: number, value = ''): Uint8Array[] => (value === '' ? [] : [text(field, value)]);

// Writes protocol buffers: fields by number, one call each, joined by `message`. The caller omits zero values where
// proto3 omits them, i.e. outside of a `oneof` and of `optional` fields.

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

function message(...fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

/** A non-negative integer up to 2^53, an enum or a bool. */
function integer(field: number, value: number): Uint8Array {
  return Buffer.from([...varint(field * 8 + VARINT), ...varint(value)]);
}

function double(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Buffer.from(varint(field * 8 + FIXED64)), bytes]);
}

function text(field: number, value: string): Uint8Array {
  // Receivers refuse a message with a lone surrogate, which is no UTF-8.
  return bytes(field, Buffer.from(value.toWellFormed(), 'utf8'));
}

/** A message within the message, or bytes. */
function bytes(field: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from([...varint(field * 8 + LENGTH_DELIMITED), ...varint(value.length)]),
    value,
  ]);
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
  return out;
}

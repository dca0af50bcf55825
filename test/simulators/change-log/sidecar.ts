/**
 * A change log sidecar: the gRPC project's own server and decoder on a Unix socket, so that the provider's requests are
 * read by other code. It keeps what it receives, and can refuse on command.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';

/** An entry as it was decoded; 64-bit integers are texts. */
export interface ReceivedEntry {
  readonly timestamp: { readonly seconds: string; readonly nanos: number };
  readonly provider: string;
  readonly api_version: string;
  readonly kind: string;
  readonly name: string;
  readonly external_name: string;
  readonly operation: string;
  /** As plain JSON. */
  readonly snapshot: unknown;
  readonly error_message?: string;
  readonly additional_details: Readonly<Record<string, string>>;
}

export interface ChangeLogSidecar {
  readonly received: readonly ReceivedEntry[];
  /** Responds with this status from now on; undefined: accepts entries again. */
  refuse(refusal: { readonly code: keyof typeof status; readonly details: string } | undefined): void;
  /** Ends all connections. */
  stop(): Promise<void>;
}

const PROTO = join(import.meta.dirname, 'changelogs.proto');
const METHOD = 'changelogs.proto.v1alpha1.ChangeLogService';

/** @param socketPath must not exist, or be the socket of a stopped server */
export async function startChangeLogSidecar(socketPath: string): Promise<ChangeLogSidecar> {
  await rm(socketPath, { force: true });
  const received: ReceivedEntry[] = [];
  let refusal: Parameters<ChangeLogSidecar['refuse']>[0];
  const service = loadSync(PROTO, { keepCase: true, longs: String, enums: String, oneofs: true })[METHOD];
  const server = new Server();
  server.addService(service as Record<string, MethodDefinition<object, object>>, {
    SendChangeLog: ({ request }: ServerUnaryCall<{ entry: Raw }, object>, answer: sendUnaryData<object>) => {
      if (refusal !== undefined) {
        answer({ code: status[refusal.code], details: refusal.details });
        return;
      }
      const { _error_message, ...entry } = request.entry;
      received.push({
        ...entry,
        additional_details: { ...entry.additional_details },
        snapshot: struct(entry.snapshot),
      });
      answer(null, {});
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  return {
    received,
    refuse: (next) => {
      refusal = next;
    },
    stop: async () => server.forceShutdown(),
  };
}

type Raw = Omit<ReceivedEntry, 'snapshot'> & { snapshot: Struct; _error_message?: string };
interface Struct {
  readonly fields?: Readonly<Record<string, Value>>;
}
interface Value {
  /** Which of the fields is set. */
  readonly kind: string;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values?: readonly Value[] };
  readonly [field: string]: unknown;
}

const struct = ({ fields = {} }: Struct): object =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value)]));

function plain(value: Value): unknown {
  if (value.kind === 'nullValue') return null;
  if (value.kind === 'structValue') return struct(value.structValue ?? {});
  if (value.kind === 'listValue') return (value.listValue?.values ?? []).map(plain);
  if (!['numberValue', 'stringValue', 'boolValue'].includes(value.kind)) throw new Error('not a value');
  return value[value.kind];
}

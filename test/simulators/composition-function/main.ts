/**
 * A composition function for tests: the composed resources are those of `resources` in its input, by name; each is ready when its
 * condition Ready is. Its certificates are in TLS_SERVER_CERTS_DIR, as Crossplane gives them; `--address` is where it listens.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';

/** google.protobuf.Struct and Value, in part. */
interface Struct {
  readonly fields?: Readonly<Record<string, Value>>;
}
interface Value {
  readonly stringValue?: string;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values?: readonly Value[] };
}
interface Resource {
  readonly resource?: Struct;
  readonly ready?: 'READY_TRUE' | 'READY_FALSE';
}
type Resources = Readonly<Record<string, Resource>>;
interface Request {
  readonly meta?: { readonly tag?: string };
  readonly observed?: { readonly resources?: Resources };
  readonly desired?: { readonly composite?: Resource; readonly resources?: Resources };
  readonly input?: Struct;
}
type Response = Pick<Request, 'meta' | 'desired'>;

const inStruct = (struct: Struct | undefined, name: string): Value | undefined => struct?.fields?.[name];

function isReady(observed: Resource | undefined): boolean {
  const status = inStruct(observed?.resource, 'status')?.structValue;
  const conditions = inStruct(status, 'conditions')?.listValue?.values ?? [];
  return conditions.some(
    ({ structValue }) =>
      inStruct(structValue, 'type')?.stringValue === 'Ready' &&
      inStruct(structValue, 'status')?.stringValue === 'True',
  );
}

function runFunction({ request }: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>): void {
  const { meta = {}, observed, desired, input } = request;
  const composed = inStruct(input, 'resources')?.structValue?.fields ?? {};
  const resources = Object.entries(composed).map(([name, { structValue = {} }]): [string, Resource] => {
    const ready = isReady(observed?.resources?.[name]) ? 'READY_TRUE' : 'READY_FALSE';
    return [name, { resource: structValue, ready }];
  });
  answer(null, {
    meta: { tag: meta.tag ?? '' },
    desired: { ...desired, resources: { ...desired?.resources, ...Object.fromEntries(resources) } },
  });
}

const { values } = parseArgs({ options: { address: { type: 'string', default: '' } } });
const proto = loadSync(join(import.meta.dirname, 'function.proto'), {
  enums: String,
  includeDirs: [import.meta.dirname],
});
const service = proto['apiextensions.fn.proto.v1.FunctionRunnerService'] as ServiceDefinition;
const certificate = (file: string) => readFileSync(join(process.env.TLS_SERVER_CERTS_DIR ?? '', file));
const credentials = ServerCredentials.createSsl(
  certificate('ca.crt'),
  [{ cert_chain: certificate('tls.crt'), private_key: certificate('tls.key') }],
  true,
);
const server = new Server();
server.addService(service, { RunFunction: runFunction });
server.bindAsync(values.address, credentials, (error) => {
  if (error !== null) throw error;
});

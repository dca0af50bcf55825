/**
 * A small receiver of OTLP traces over HTTP, in the JSON form. It accepts what the protocol allows and refuses the rest
 * with 400, as a collector does: unknown fields, numbers where texts are due, IDs of the wrong length.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  /** By key. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Of the process. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface OtlpReceiver {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly { readonly headers: IncomingMessage['headers']; readonly spans: number }[];
  /** Errors of the refused requests. */
  readonly complaints: readonly string[];
  /** Number of requests that got a response, refusals included. */
  answered(): number;
  /** The next requests get these responses, and their data is dropped. */
  answerNext(...answers: readonly { readonly status: number; readonly retryAfter?: number }[]): void;
  stop(): Promise<void>;
}

const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const list = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };
const integerText = { type: 'string', pattern: '^-?\\d+$' };
const count = { type: 'integer', minimum: 0 };
/** The provider has neither events nor links. */
const none = { type: 'array', maxItems: 0 };
const id = (length: number) => ({ type: 'string', pattern: `^[0-9a-fA-F]{${length}}$` });
const attributes = list(
  object({
    key: { type: 'string', minLength: 1 },
    value: {
      ...object(
        {
          stringValue: text,
          boolValue: { type: 'boolean' },
          intValue: { anyOf: [integerText, { type: 'integer' }] },
          doubleValue: { type: 'number' },
        },
        [],
      ),
      minProperties: 1,
      maxProperties: 1,
    },
  }),
);
const span = object(
  {
    traceId: id(32),
    spanId: id(16),
    parentSpanId: id(16),
    name: { type: 'string', minLength: 1 },
    kind: { enum: [1, 2, 3, 4, 5] },
    startTimeUnixNano: integerText,
    endTimeUnixNano: integerText,
    flags: count,
    traceState: text,
    attributes,
    droppedAttributesCount: count,
    events: none,
    droppedEventsCount: count,
    links: none,
    droppedLinksCount: count,
    status: object({ code: { enum: [0, 1, 2] }, message: text }, []),
  },
  ['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano'],
);
const scope = object({ name: text, version: text }, ['name']);
const resource = object({ attributes, droppedAttributesCount: count }, ['attributes']);
const isRequest = new Ajv().compile<Request>(
  object({
    resourceSpans: list(object({ resource, scopeSpans: list(object({ scope, spans: list(span) })) })),
  }),
);

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'resource'> & { attributes: Attributes })[];
    }[];
  }[];
}
type Attributes = readonly {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: string | number;
    readonly doubleValue?: number;
  };
}[];

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { headers: IncomingMessage['headers']; spans: number }[] = [];
  const complaints: string[] = [];
  const answers: { readonly status: number; readonly retryAfter?: number }[] = [];
  const complain = (response: ServerResponse, status: number, why: string) => {
    complaints.push(why);
    response.writeHead(status).end(why);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    if (request.method !== 'POST' || request.url !== '/v1/traces')
      return complain(response, 404, 'no such page');
    const reported = answers.shift();
    if (reported !== undefined) {
      const headers = reported.retryAfter === undefined ? {} : { 'retry-after': `${reported.retryAfter}` };
      response.writeHead(reported.status, headers).end();
      return;
    }
    if (request.headers['content-type'] !== 'application/json') return complain(response, 415, 'not JSON');
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (!isRequest(parsed)) return complain(response, 400, JSON.stringify(isRequest.errors));
    const received = spansIn(parsed);
    requests.push({ headers: request.headers, spans: received.length });
    spans.push(...received);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  let answered = 0;
  const server = createServer((request, response) => {
    response.once('finish', () => {
      answered += 1;
    });
    handle(request, response).catch((error: unknown) => complain(response, 400, String(error)));
  });
  const { url: endpoint, close: stop } = await listenOnLoopback(server);
  return {
    endpoint,
    spans,
    requests,
    complaints,
    answered: () => answered,
    answerNext: (...next) => answers.push(...next),
    stop,
  };
}

const spansIn = ({ resourceSpans }: Request): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: byKey(span.attributes),
        resource: byKey(resource.attributes),
      })),
    ),
  );

const byKey = (attributes: Attributes) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );

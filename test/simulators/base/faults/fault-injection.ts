import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type ErrorAnswers, json, routerNotFound } from '../answer.ts';
import type { OpenRecord } from '../journal.ts';
import type { FaultAction, FaultTiming } from './faults.ts';

export interface OpenRequest {
  readonly response: ServerResponse;
  readonly record: OpenRecord<string>;
  readonly host: string;
  readonly errors: ErrorAnswers;
  /** The token endpoint: an expired token is granted instead of refused. */
  readonly grantsToken: boolean;
  /** Ends when the simulator stops or the client goes away. */
  readonly signal: AbortSignal;
  /** Processes the request and returns the response. Called at most once. */
  readonly serve: (expired: boolean) => Answer;
}

/** Serves a request with the faults that apply to it: delays add up, the first of the others decides. */
export async function serveThrough(actions: readonly FaultAction[], openRequest: OpenRequest): Promise<void> {
  const { signal, serve } = openRequest;
  for (const action of actions) {
    if (action.kind === 'delay') await sleep(action.ms, undefined, { signal });
  }
  const action = actions.find(({ kind }) => kind !== 'delay');
  if (action === undefined) send(openRequest, serve(false));
  else injected(action, openRequest);
}

function injected(
  action: Exclude<FaultAction, { kind: 'delay' }> | FaultAction,
  openRequest: OpenRequest,
): void {
  const { response, record, host, serve, errors, grantsToken, signal } = openRequest;
  const effect = (when: FaultTiming | undefined) => {
    if (when === 'after') serve(false);
  };
  /** A response with a body, true if the request takes effect. */
  const bodyOf = (when: FaultTiming = 'after'): Answer => {
    const answer = asJson(when === 'after' ? serve(false) : json(200, {}));
    return answer.body === '' ? { ...answer, body: '{}' } : answer;
  };
  switch (action.kind) {
    case 'delay':
      return;
    case 'hang':
      effect(action.when);
      record.update({ outcome: 'hung' });
      return;
    case 'reset':
      effect(action.when);
      record.close('reset');
      response.socket?.destroy();
      return;
    case 'status':
      effect(action.when);
      send(openRequest, custom(action.status, action.body, action.headers));
      return;
    case 'malformed':
      send(openRequest, {
        ...bodyOf(action.when),
        body: action.body ?? '{"items": [{"id": "a',
      });
      return;
    case 'oversized':
      send(openRequest, { ...bodyOf(action.when), body: `{"padding":"${'x'.repeat(action.bytes)}"}` });
      return;
    case 'truncated': {
      const { body, ...answer } = bodyOf(action.when);
      response.writeHead(answer.status, {
        ...answer.headers,
        'content-length': Buffer.byteLength(body) + 100,
      });
      response.write(body, () => response.socket?.destroy());
      record.close('reset', answer.status);
      return;
    }
    case 'slow-body': {
      const { body, ...answer } = bodyOf(action.when);
      response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, -1));
      sleep(action.ms, undefined, { signal }).then(
        () => {
          response.end(body.slice(-1));
          record.close('answered', answer.status);
        },
        // The client has gone.
        () => undefined,
      );
      return;
    }
    case 'expired-token':
      send(openRequest, grantsToken ? serve(true) : errors.unauthorized('the token has expired'));
      return;
    case 'unknown-instance':
      send(openRequest, errors.unknown(record.record.instance ?? ''));
      return;
    case 'router-404':
      send(openRequest, routerNotFound(host));
      return;
    case 'unavailable':
      send(
        openRequest,
        errors.unavailable(action.retryAfter === undefined ? {} : { 'retry-after': action.retryAfter }),
      );
      return;
    case 'redirect':
      send(openRequest, { status: 302, headers: { location: action.location }, body: '' });
      return;
    default:
      action satisfies never;
  }
}

export function send({ response, record }: Pick<OpenRequest, 'response' | 'record'>, answer: Answer): void {
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
  record.close('answered', answer.status);
}

function custom(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  if (body === undefined) return { status, headers, body: '' };
  return typeof body === 'string' ? { status, headers, body } : json(status, body, headers);
}

/** Adds a body where there is none, so its status must be one that may have it. */
function asJson(answer: Answer): Answer {
  return {
    ...answer,
    status: answer.status === 204 ? 200 : answer.status,
    headers: { ...answer.headers, 'content-type': 'application/json' },
  };
}

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, json } from '../../base/answer.ts';
import { send } from '../../base/faults/fault-injection.ts';
import type { FaultAction, FaultRule, Faults } from '../../base/faults/faults.ts';
import type { OpenRecord } from '../../base/journal.ts';

/** `shoots`, `shoots/adminkubeconfig`, `configmaps` and so on. */
export type Route = string;

/** The faults that an API server, or what is before it, shows. */
export type ServerFaultAction = Extract<
  FaultAction,
  { readonly kind: 'delay' | 'hang' | 'reset' | 'status' | 'oversized' }
>;

export interface ServerFaultRule extends FaultRule<Route> {
  readonly do: ServerFaultAction;
}

export interface ServerFaults extends Pick<Faults<Route>, 'clear' | 'list' | 'remove'> {
  add(rule: ServerFaultRule): ReturnType<Faults<Route>['add']>;
}

/** The error of an API server, as a fault: `faults.add({ on: { route: 'shoots' }, do: refusal(429, 'TooManyRequests') })`. */
export function refusal(status: number, reason: string, retryAfterSeconds?: number): ServerFaultAction {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    code: status,
    message: reason,
    ...details,
  };
  return { kind: 'status', status, body, headers };
}

export interface FaultedRequest {
  readonly response: ServerResponse;
  readonly record: OpenRecord<Route>;
  readonly signal: AbortSignal;
  /** Processes the request. Called at most once. */
  readonly serve: () => Promise<Answer>;
}

/** Serves a request with its faults: delays add up, the first of the others decides. */
export async function serveWithFaults(
  actions: readonly FaultAction[],
  request: FaultedRequest,
): Promise<void> {
  const { response, record, signal, serve } = request;
  for (const action of actions) {
    if (action.kind === 'delay') await sleep(action.ms, undefined, { signal });
  }
  const action = actions.find(({ kind }) => kind !== 'delay') as ServerFaultAction | undefined;
  if (action === undefined || action.kind === 'delay') return send(request, await serve());
  if (action.kind === 'oversized') {
    const answer = await serve();
    return send(request, { ...answer, body: `{"padding":"${'x'.repeat(action.bytes)}"}` });
  }
  if (action.when === 'after') await serve();
  switch (action.kind) {
    case 'hang':
      record.update({ outcome: 'hung' });
      return;
    case 'reset':
      record.close('reset');
      response.socket?.destroy();
      return;
    case 'status':
      send(request, json(action.status, action.body ?? {}, action.headers));
  }
}

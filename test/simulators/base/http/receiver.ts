import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../../../internal/framework/base/json/json-value.ts';
import { type Answer, type ErrorAnswers, routerNotFound, tokenError } from '../answer.ts';
import type { Contract } from '../contract.ts';
import { send, serveThrough } from '../faults/fault-injection.ts';
import type { Faults } from '../faults/faults.ts';
import type { Journal } from '../journal.ts';
import type { Handler } from './listener.ts';

/** A request that the contract has a place for. */
export interface Incoming<R extends string> {
  readonly message: IncomingMessage;
  readonly route: R;
  /** ID of the object in the path; empty where it has none. */
  readonly instance: string;
  /** Of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed; valid against the contract once it is served. */
  readonly body: unknown;
}

/** What stands behind a listener. */
export interface Service<R extends string> {
  readonly routes: ReadonlySet<R>;
  /** Serves the token endpoint. Default false. */
  readonly grantsTokens?: boolean;
  /** The client, as far as it is known, and the response if it is not authorized. */
  identify(incoming: Incoming<R>): {
    readonly clientID?: string | undefined;
    /** Which of the tokens it comes with. */
    readonly token?: number;
    readonly refusal?: Answer;
  };
  /** @param expired every token from it has expired already */
  serve(incoming: Incoming<R>, clientID: string | undefined, expired: boolean): Answer;
}

export interface ReceiverOptions<R extends string> {
  readonly contract: Contract<R>;
  readonly journal: Journal<R>;
  readonly faults: Faults<R>;
  readonly errors: ErrorAnswers;
  /** The parameter of paths that is the ID of the object in records and faults. */
  readonly idParameter: string;
  /** Whether records of the route have the body, and which headers they have. Default: neither. */
  readonly recorded?: { body(route: R): boolean; readonly headers?: readonly string[] };
  readonly latencyMs: () => number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** Everything around a service: record, contract in both directions, latency, faults. */
export function createReceiver<R extends string>(
  options: ReceiverOptions<R>,
): (service: Service<R>) => Handler {
  const { contract, journal, faults, errors, idParameter, recorded, latencyMs, signal: stopping } = options;
  return (service) => async (message, response, body) => {
    const url = new URL(message.url ?? '/', 'https://simulator');
    const method = message.method ?? '';
    const path = url.pathname;
    const record = journal.open({ method, path, query: Object.fromEntries(url.searchParams) });
    const signal = AbortSignal.any([stopping, closing(response)]);
    response.once('close', () => record.close('left'));

    const found = find(contract, method, path);
    const host = message.headers.host ?? '';
    if (found === undefined || !service.routes.has(found.operation.route)) {
      record.update({ violation: 'the contract has no such call here' });
      send({ response, record }, routerNotFound(host));
      return;
    }
    const { operation, parameters } = found;
    const { route } = operation;
    const contentType = message.headers['content-type'];
    const request = { pathParameters: parameters, query: url.searchParams, contentType, body };
    const { body: parsed, violation } = operation.checkRequest(request);
    const instance = parameters[idParameter] ?? '';
    const incoming = { message, route, instance, parameters, query: url.searchParams, body: parsed };
    const { clientID, token, refusal } = service.identify(incoming);
    const name = isObject(parsed) && typeof parsed.name === 'string' ? parsed.name : undefined;
    const met = faults.meeting({ route, method, path, instance, name, clientID });
    record.update({
      route,
      ...(instance === '' ? {} : { instance }),
      ...(clientID === undefined ? {} : { clientID }),
      ...(token === undefined ? {} : { token }),
      ...(recorded?.headers === undefined ? {} : { headers: headersOf(message, recorded.headers) }),
      ...(recorded?.body(route) && parsed !== null ? { body: parsed } : {}),
      ...(violation === undefined ? {} : { violation }),
      faults: met.map(({ id }) => id),
    });
    const { grantsTokens = false } = service;
    const serve = (expired: boolean): Answer => {
      const refused = refusal ?? (violation === undefined ? undefined : refusalOf(violation));
      const answer = refused ?? service.serve(incoming, clientID, expired);
      const broken = operation.checkAnswer(answer);
      if (broken !== undefined) record.update({ violation: `the simulator's own ${broken}` });
      return answer;
    };
    const refusalOf = (violation: string) =>
      grantsTokens ? tokenError(400, 'invalid_request', violation) : errors.badRequest(violation);
    try {
      if (latencyMs() > 0) await sleep(latencyMs(), undefined, { signal });
      const actions = met.map(({ action }) => action);
      await serveThrough(actions, {
        response,
        record,
        host,
        errors,
        grantsToken: grantsTokens,
        signal,
        serve,
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
}

function closing(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

function find<R extends string>(
  contract: Contract<R>,
  method: string,
  path: string,
): ReturnType<Contract<R>['find']> {
  try {
    return contract.find(method, path);
  } catch {
    // A path that cannot be decoded is no path of the contract.
    return undefined;
  }
}

function headersOf({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

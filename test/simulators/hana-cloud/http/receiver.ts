import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, apiError, routerNotFound, tokenError } from '../answer.ts';
import type { Contract, Operation, Route } from '../contract.ts';
import { send, serveThrough } from '../faults/fault-injection.ts';
import type { Faults } from '../faults/faults.ts';
import type { Journal } from '../journal.ts';
import type { Handler } from './listener.ts';

/** A request that the contract has a place for. */
export interface Incoming {
  readonly message: IncomingMessage;
  readonly route: Route;
  /** Empty where the path has none. */
  readonly instance: string;
  readonly query: URLSearchParams;
  /** Parsed; valid against the contract once it is served. */
  readonly body: unknown;
}

/** What stands behind a listener. */
export interface Service {
  readonly routes: ReadonlySet<Route>;
  /** The client, as far as it is known, and the response if it is not authorized. */
  identify(incoming: Incoming): {
    readonly clientID?: string | undefined;
    /** Which of the tokens it comes with. */
    readonly token?: number;
    readonly refusal?: Answer;
  };
  /** @param expired every token from it has expired already */
  serve(incoming: Incoming, clientID: string | undefined, expired: boolean): Answer;
}

export interface ReceiverOptions {
  readonly contract: Contract;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly latencyMs: () => number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** Everything around a service: record, contract in both directions, latency, faults. */
export function createReceiver(options: ReceiverOptions): (service: Service) => Handler {
  const { contract, journal, faults, latencyMs, signal: stopping } = options;
  return (service) => async (message, response, body) => {
    const url = new URL(message.url ?? '/', 'https://simulator');
    const method = message.method ?? '';
    const record = journal.open({ method, path: url.pathname, query: Object.fromEntries(url.searchParams) });
    const signal = AbortSignal.any([stopping, closing(response)]);
    response.once('close', () => record.close('left'));

    const found = find(contract, method, url.pathname);
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
    const instance = parameters.serviceInstanceID ?? '';
    const incoming = { message, route, instance, query: url.searchParams, body: parsed };
    const { clientID, token, refusal } = service.identify(incoming);
    const met = faults.meeting({ route, method, instance, clientID });
    record.update({
      route,
      ...(instance === '' ? {} : { instance }),
      ...(clientID === undefined ? {} : { clientID }),
      ...(token === undefined ? {} : { token }),
      ...(route === 'create' ? { body: parsed } : {}),
      ...(violation === undefined ? {} : { violation }),
      faults: met.map(({ id }) => id),
    });
    const serve = (expired: boolean): Answer => {
      const refused = refusal ?? (violation === undefined ? undefined : refusalOf(operation, violation));
      const answer = refused ?? service.serve(incoming, clientID, expired);
      const broken = operation.checkAnswer(answer);
      if (broken !== undefined) record.update({ violation: `the simulator's own ${broken}` });
      return answer;
    };
    try {
      if (latencyMs() > 0) await sleep(latencyMs(), undefined, { signal });
      const actions = met.map(({ action }) => action);
      await serveThrough(actions, { response, record, host, signal, serve });
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

function find(contract: Contract, method: string, path: string): ReturnType<Contract['find']> {
  try {
    return contract.find(method, path);
  } catch {
    // A path that cannot be decoded is no path of the contract.
    return undefined;
  }
}

function refusalOf({ route }: Operation, violation: string): Answer {
  return route === 'token'
    ? tokenError(400, 'invalid_request', violation)
    : apiError(400, 'BAD_REQUEST', violation);
}

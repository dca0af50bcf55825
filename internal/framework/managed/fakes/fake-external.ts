import { publishFakeWrite } from '../../http/transport/send-request.ts';
import type {
  Connector,
  ExternalClient,
  ExternalResult,
  Observation,
  ReconcileContext,
} from '../kind/external-client.ts';
import type { Managed } from '../resource/managed.ts';

/** Results of the external API in a test: a value is returned, an Error thrown, a function called. */
export interface FakeExternalBehaviour<R extends Managed> {
  readonly connect?: Answer<R, void>;
  /** Default: absent. Entries of a list are used in order; the last one repeats. */
  readonly observe?: Answer<R, Observation> | readonly Answer<R, Observation>[];
  readonly create?: Answer<R, ExternalResult>;
  readonly update?: Answer<R, ExternalResult>;
  readonly delete?: Answer<R, ExternalResult>;
  readonly disconnect?: Error;
}
export type Answer<R, T> = T | Error | ((resource: R, ctx: ReconcileContext) => T | Promise<T>);

export interface FakeExternal<R extends Managed> {
  readonly connector: Connector<R>;
  /** The calls, in order: `connect`, `observe`, … */
  readonly calls: string[];
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

/** A connector and external client that record calls and return given results. */
export function createFakeExternal<R extends Managed>(
  behaviour: FakeExternalBehaviour<R> = {},
): FakeExternal<R> {
  const calls: string[] = [];
  const observations = [behaviour.observe ?? { state: 'absent' as const }].flat() as Answer<R, Observation>[];
  const answer = async <T>(
    verb: string,
    given: Answer<R, T> | undefined,
    fallback: T,
    resource: R,
    ctx: ReconcileContext,
  ): Promise<T> => {
    calls.push(verb);
    if (WRITES.has(verb)) publishFakeWrite(verb, { isGuardedByCaller: true });
    if (given instanceof Error) throw given;
    if (typeof given === 'function') {
      return (given as (resource: R, ctx: ReconcileContext) => T | Promise<T>)(resource, ctx);
    }
    return given ?? fallback;
  };
  const client: ExternalClient<R> = {
    observe: (resource, ctx) => {
      const next = observations.length > 1 ? observations.shift() : observations[0];
      return answer<Observation>('observe', next, { state: 'absent' }, resource, ctx);
    },
    create: (resource, ctx) => answer<ExternalResult>('create', behaviour.create, {}, resource, ctx),
    update: (resource, ctx) => answer<ExternalResult>('update', behaviour.update, {}, resource, ctx),
    delete: (resource, ctx) => answer<ExternalResult>('delete', behaviour.delete, {}, resource, ctx),
    disconnect: async () => {
      calls.push('disconnect');
      if (behaviour.disconnect) throw behaviour.disconnect;
    },
  };
  return {
    calls,
    connector: {
      connect: async (resource, ctx) => {
        await answer<void>('connect', behaviour.connect, undefined, resource, ctx);
        return client;
      },
    },
  };
}

/**
 * The connections of processes to API servers and external APIs, with faults. A process that is killed sends nothing more, although
 * its code goes on: the call at which it dies has, or has not, taken effect.
 */
import { type Clock, sleep } from '../../../internal/framework/base/time/clock.ts';
import type { HttpResponse } from '../../../internal/framework/http/index.ts';
import { isTooMany, type SentWrite } from './write-rate.ts';

export type When = 'before' | 'after';

/** What gateways answer: a page, or JSON of their own. */
export const GATEWAY_BODIES = {
  page: '<html><head><title>nginx</title></head><body>nginx</body></html>',
  json: '{"message":"no Route matched with those values"}',
} as const;

export type NetworkFault =
  /** The connection breaks: the request did not arrive, or its answer is lost. */
  | { readonly kind: 'cut'; readonly when: When }
  | { readonly kind: 'status'; readonly status: number }
  /** A proxy or gateway answers in place of the server. The request did not arrive. */
  | { readonly kind: 'gateway'; readonly status: number; readonly body: keyof typeof GATEWAY_BODIES }
  /** The answer is late. */
  | { readonly kind: 'slow'; readonly ms: number };

/** One connection of a process. */
export interface LinkOptions {
  readonly name: string;
  /** Of its client, when there is no answer. */
  readonly lost: () => Error;
  /** Of its client, for an answer with this status. */
  readonly refused: (status: number) => Error;
  /** What its client makes of an answer that is not of the server. */
  readonly gateway: (response: HttpResponse, method: string) => Error;
  /** Names of the methods that write. */
  readonly writes: ReadonlySet<string>;
  /** What a write is about, for logs and to compare it with the next one. */
  readonly subject: (method: string, args: readonly unknown[]) => string;
  /** Whether a write that is refused leaves unrecorded what the process has done: it keeps its records there. */
  readonly hasRecords?: true;
  /** Called before a write takes effect. @param isCertain whether the process can know what the one before did */
  readonly onWrite?: (method: string, args: readonly unknown[], isCertain: boolean) => void;
}

/** A process as the network sees it. */
export interface NetworkProcess {
  isDead: boolean;
  /** It dies at this write from now on; 1 is the next. */
  death?: { left: number; readonly when: When } | undefined;
}

export interface Network {
  /** The client of a process, whose methods return promises, except `watch…`, which return async iterables. */
  connect<T extends object>(process: NetworkProcess, link: LinkOptions, client: T): T;
  /** The next calls of the link have it. */
  add(link: string, fault: NetworkFault, calls: number): void;
  /** Ends all faults. */
  heal(): void;
  /** An answer may be lost of which the network knows nothing: another process began. */
  interrupt(): void;
  /** In order. */
  readonly writes: readonly SentWrite[];
}

export function createNetwork(clock: Clock): Network {
  const faults: { readonly link: string; readonly fault: NetworkFault; left: number }[] = [];
  const writes: SentWrite[] = [];
  let interruptions = 0;
  /** By subject: interruptions when it was written last. */
  const known = new Map<string, number>();
  const nextFault = (link: string): NetworkFault | undefined => {
    const found = faults.find((each) => each.link === link && each.left > 0);
    if (found === undefined) return undefined;
    found.left--;
    interruptions++;
    return found.fault;
  };
  const call = async (
    process: NetworkProcess,
    link: LinkOptions,
    method: string,
    args: readonly unknown[],
    perform: () => Promise<unknown>,
  ): Promise<unknown> => {
    const die = (): never => {
      process.isDead = true;
      interruptions++;
      throw link.lost();
    };
    if (process.isDead || isTooMany(writes)) throw link.lost();
    const signal = signalIn(args);
    signal?.throwIfAborted();
    const isWrite = link.writes.has(method);
    const { death } = process;
    const diesNow = isWrite && death !== undefined && --death.left === 0 ? death.when : undefined;
    if (diesNow === 'before') die();
    const fault = nextFault(link.name);
    if (fault?.kind === 'status') throw link.refused(fault.status);
    if (fault?.kind === 'gateway') {
      const { status, body } = fault;
      throw link.gateway({ status, headers: {}, body: GATEWAY_BODIES[body] }, method);
    }
    if (fault?.kind === 'cut' && fault.when === 'before') throw link.lost();
    if (isWrite) {
      const subject = `${link.name} ${link.subject(method, args)}`;
      writes.push({ at: clock.monotonic(), text: `${method} ${subject}` });
      link.onWrite?.(method, args, known.get(subject) === interruptions);
      known.set(subject, interruptions);
    }
    const result = await perform().catch((error: unknown) => {
      if (isWrite && link.hasRecords) interruptions++;
      throw error;
    });
    if (diesNow === 'after') die();
    try {
      if (fault?.kind === 'cut') throw link.lost();
      if (fault?.kind === 'slow') await sleep(clock, fault.ms, signal);
      if (process.isDead) throw link.lost();
    } catch (error) {
      // The write took effect, and the process does not know it.
      interruptions++;
      throw error;
    }
    return result;
  };
  return {
    writes,
    add: (link, fault, calls) => void faults.push({ link, fault, left: calls }),
    heal: () => void faults.splice(0),
    interrupt: () => {
      interruptions++;
    },
    connect: <T extends object>(process: NetworkProcess, link: LinkOptions, client: T): T =>
      new Proxy(client, {
        get: (target, property, receiver) => {
          const value: unknown = Reflect.get(target, property, receiver);
          if (typeof value !== 'function' || typeof property !== 'string' || isSynchronous(property))
            return value;
          if (property.startsWith('watch'))
            return (...args: unknown[]) =>
              whileAlive(process, link, Reflect.apply(value, target, args) as AsyncIterable<unknown>);
          return (...args: unknown[]) =>
            call(process, link, property, args, async () => Reflect.apply(value, target, args));
        },
      }),
  };
}

/** Methods of clients that send no request. */
const isSynchronous = (method: string): boolean => method === 'now' || method === 'release';

async function* whileAlive(
  process: NetworkProcess,
  link: LinkOptions,
  events: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  for await (const event of events) {
    if (process.isDead) throw link.lost();
    yield event;
  }
}

/** That of the options of a call. */
function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  for (const argument of args) {
    if (argument instanceof AbortSignal) return argument;
    if (typeof argument !== 'object' || argument === null || !('signal' in argument)) continue;
    if (argument.signal instanceof AbortSignal) return argument.signal;
  }
  return undefined;
}

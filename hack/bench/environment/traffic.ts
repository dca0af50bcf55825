import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEvent, type ControlPlaneAddress, FILES } from '../../control-planes/access/access.ts';
import { type ApiRequests, countApiRequests, openWatches, receivedAt } from '../measure/api-requests.ts';
import type { MeasuredProcess } from '../measure/measured-process.ts';
import { linesOf } from '../plain/plain-client.ts';
import { breakdown } from '../report/figures.ts';
import type { BenchEnvironment, Requester } from './environment.ts';

/** What one requester has sent since a mark, as the API servers and HANA Cloud recorded it. */
export interface Traffic {
  readonly management: ApiTraffic;
  readonly kyma: ApiTraffic;
  /** Requests to both API servers. */
  readonly reads: number;
  readonly writes: number;
  readonly hana: {
    readonly tokens: number;
    readonly lists: number;
    readonly posts: number;
    /** Calls under way at a time, tokens included. */
    readonly mostInFlight: number;
  };
}

export interface ApiTraffic extends ApiRequests {
  /** Watches opened since then and still open, by collection. */
  readonly openWatches: ReadonlyMap<string, number>;
  /** Times of the requests that `byKind` counts under this name, in ms since the epoch. */
  receivedAt(kind: string): number[];
}

/** Sets a mark; each call of the returned function counts what was sent since then. */
export async function watchTraffic(
  { planes, simulator }: BenchEnvironment,
  requester: Requester,
): Promise<() => Promise<Traffic>> {
  const since = [await markAudit(planes.management), await markAudit(planes.kyma)] as const;
  const after = simulator.requests().at(-1)?.id ?? 0;
  const countOf = async (eventsOf: AuditMark): Promise<ApiTraffic> => {
    const events = await eventsOf(requester);
    return {
      ...countApiRequests(events),
      openWatches: openWatches(events),
      receivedAt: (kind) => receivedAt(events, kind),
    };
  };
  return async () => {
    const calls = simulator.requests({ after });
    const [management, kyma] = await Promise.all([countOf(since[0]), countOf(since[1])]);
    const count = (route: string) => calls.filter((call) => call.route === route).length;
    return {
      management,
      kyma,
      reads: management.reads + kyma.reads,
      writes: management.writes + kyma.writes,
      hana: {
        tokens: count('token'),
        lists: count('list'),
        posts: count('create'),
        mostInFlight: calls.reduce((most, { inFlight }) => Math.max(most, inFlight), 0),
      },
    };
  };
}

/** What a program has used and sent. */
export interface Cost {
  readonly cpuMs: number;
  readonly traffic: Traffic;
}

/** Starts to measure; the returned function says what it cost since then. */
export async function startMeter(
  environment: BenchEnvironment,
  requester: Requester,
  program: MeasuredProcess,
): Promise<() => Promise<Cost>> {
  const traffic = await watchTraffic(environment, requester);
  const { cpuMs: before } = await program.usage();
  return async () => {
    const { cpuMs } = await program.usage();
    return { cpuMs: cpuMs - before, traffic: await traffic() };
  };
}

/** What the requests to each API server were, divided. @param per `for each` or the like */
export const requestNotes = (what: string, per: string, traffic: Traffic, divisor: number): string[] =>
  (['management', 'kyma'] as const).map(
    (plane) => `${what}, requests to ${plane} ${per}: ${breakdown(traffic[plane].byKind, divisor)}`,
  );

/** Returns one user's requests that the API server has completed after a mark. */
export type AuditMark = (username: string) => Promise<AuditEvent[]>;

const LINE_START = '{"kind":"Event"';

/** Sets a mark at the current end of the audit log; what precedes it is not read. */
export async function markAudit({ directory }: ControlPlaneAddress): Promise<AuditMark> {
  const path = join(directory, FILES.audit);
  const { size: start } = await stat(path);
  return async (username) => {
    const events: AuditEvent[] = [];
    for await (const line of linesOf(createReadStream(path, { start, encoding: 'utf8' }))) {
      // The mark may lie within a line. Most lines are others', and need no parsing.
      if (!line.startsWith(LINE_START) || !line.includes(`"username":"${username}"`)) continue;
      const event: AuditEvent = JSON.parse(line);
      if (event.user.username === username) events.push(event);
    }
    return events;
  };
}

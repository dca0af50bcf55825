/** What a phase of the measurement cost, and what was sent in it. */
import type { Requester } from '../../environment/environment.ts';
import type { Program } from '../../environment/programs.ts';
import type { RuntimesEnvironment } from '../../environment/runtimes.ts';
import { type Cost, startMeter } from '../../environment/traffic.ts';
import { breakdown, count, type Figure, figure } from '../../report/figures.ts';

/** Of a phase in which nothing changes. */
export const REST_MS = 20_000;

/** What a phase cost, and what it sent. */
export interface Requests extends Cost {
  readonly gardener: Readonly<Record<string, number>>;
  readonly clusters: Readonly<Record<string, number>>;
}

export async function meter(
  environment: RuntimesEnvironment,
  requester: Requester,
  program: Program,
): Promise<() => Promise<Requests>> {
  const { server, clusters } = environment;
  const cost = await startMeter(environment, requester, program);
  const after = server.requests().at(-1)?.id ?? 0;
  const before = clusters.requests();
  return async () => {
    const gardener: Record<string, number> = {};
    for (const { method, route = '', query } of server.requests({ after })) {
      const kind = `${query.watch === undefined ? method : 'WATCH'} ${route}`;
      gardener[kind] = (gardener[kind] ?? 0) + 1;
    }
    const now = Object.entries(clusters.requests());
    return {
      ...(await cost()),
      gardener,
      clusters: Object.fromEntries(now.map(([kind, sent]) => [kind, sent - (before[kind] ?? 0)])),
    };
  };
}

export const sumOf = (
  requests: Readonly<Record<string, number>>,
  isCounted: (kind: string) => boolean = () => true,
) => Object.entries(requests).reduce((sum, [kind, times]) => (isCounted(kind) ? sum + times : sum), 0);
/** Without the lease, lists and watches, which all objects share. */
export const ofManagement = ({ traffic }: Requests): number =>
  sumOf(traffic.management.byKind, (kind) => !/^(list|watch) | leases|selfsubject|^get \//.test(kind));
export const ofGardener = ({ gardener }: Requests): number =>
  sumOf(gardener, (kind) => !kind.startsWith('WATCH'));

export const notesOf = (what: string, { traffic, gardener, clusters }: Requests, size: number): string[] => [
  `${what}, requests to the control plane for each: ${breakdown(traffic.management.byKind, size)}`,
  `${what}, requests to Gardener for each: ${breakdown(gardener, size)}`,
  `${what}, requests to its cluster for each: ${breakdown(clusters, size)}`,
];

export const restFigures = (size: number, rest: Requests): Figure[] => [
  figure(
    `${count(size)} Runtimes at rest: requests to Gardener in ${REST_MS / 1000} s`,
    '',
    ofGardener(rest),
    0,
  ),
  figure(
    `${count(size)} Runtimes at rest: requests to the control plane in ${REST_MS / 1000} s`,
    '',
    ofManagement(rest),
    0,
  ),
];

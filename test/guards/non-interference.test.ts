/**
 * Non-interference: what one tenant waits for beside hostile ones, at most `factor` times of what it waits alone, and one turn. What tenants
 * share is a row: how long one of them waits while others have `hostile` requests each, on a fake clock or in turns. The last test
 * names what is shared without a row, and why.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { setUp } from '../../internal/framework/base/concurrency/concurrency-limiter.fixture.ts';
import { createConcurrencyLimiter } from '../../internal/framework/base/concurrency/concurrency-limiter.ts';
import { createTokenBucket } from '../../internal/framework/base/concurrency/token-bucket.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { createCallSlots } from '../../internal/framework/http/limits/call-slots.ts';
import { createTurns } from '../../internal/framework/process/workers/turns.ts';
import { createFetchSlots } from '../../internal/systems/reconciler/components/charts/sources/cache/fetch-slots.ts';

interface Shared {
  readonly name: string;
  /** Files that create it, below `internal`. */
  readonly files: readonly string[];
  /** Of the wait alone. One turn of the others is added: they have begun. */
  readonly factor: number;
  /** How many requests of all end before the ten of one tenant have started. */
  readonly wait: (hostile: number) => number | Promise<number>;
}

const OTHERS = ['b', 'c', 'd'];
const OWN = 10;

/** Slots that are taken by promises, with one in use at a time. */
async function waitForSlots(
  acquire: (host: string, signal: AbortSignal) => Promise<() => void>,
  hostile: number,
): Promise<number> {
  const { signal } = new AbortController();
  const held: [string, () => void][] = [];
  const ask = (host: string) => void acquire(host, signal).then((release) => held.push([host, release]));
  for (let n = 0; n < hostile; n++) for (const host of OTHERS) ask(host);
  for (let n = 0; n < OWN; n++) ask('a');
  let left = OWN;
  for (let ends = 1; ends < 100_000; ends++) {
    await settled();
    const [host, release] = held.shift() ?? [];
    if (host === 'a') left--;
    if (left === 0) return ends;
    release?.();
  }
  throw new Error('the tenant never got its turn');
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const SHARED: readonly Shared[] = [
  {
    name: 'the slots of a controller',
    files: [
      'framework/controller/controller.ts',
      'framework/controller/controller-manager.ts',
      'program/provider/connections/program-connections.ts',
    ],
    // Tenants take turns: with three others, each start of the one may follow one of each.
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const { add, end, running } = setUp({ capacity: 1, slots: 1 });
      for (let n = 0; n < hostile; n++) for (const name of OTHERS) add(`${name} ${n}`, { on: [name] });
      for (let n = 0; n < OWN; n++) add(`a ${n}`, { on: ['a'] });
      return endsUntil(OWN, () => {
        const [key] = running();
        if (key !== undefined) end(key);
        return key;
      });
    },
  },
  {
    name: 'the low-priority slots of a controller',
    files: ['framework/base/concurrency/concurrency-limiter.ts'],
    factor: 1,
    wait: (hostile) => {
      const { add, end, running } = setUp({ capacity: 2, slots: 1, lowSlots: 1 });
      for (let n = 0; n < hostile; n++)
        for (const name of OTHERS) add(`${name} ${n}`, { on: [name], priority: -1 });
      for (let n = 0; n < OWN; n++) add(`a ${n}`, { on: ['a'] });
      return endsUntil(OWN, () => {
        const key = running().find((each) => each.startsWith('a')) ?? running()[0];
        if (key !== undefined) end(key);
        return key;
      });
    },
  },
  {
    name: 'the processes of templates and charts',
    files: [
      'systems/reconciler/components/charts/rendering/chart-jobs.ts',
      'systems/btp/servicebinding/secret/secret-renderer.ts',
      'framework/process/workers/worker-pool.ts',
    ],
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const turns = createTurns<string>();
      for (let n = 0; n < hostile; n++) for (const name of OTHERS) turns.add(name, `${name} ${n}`);
      for (let n = 0; n < OWN; n++) turns.add('a', `a ${n}`);
      return endsUntil(OWN, () => turns.next());
    },
  },
  {
    name: 'the rate of polls',
    files: ['framework/controller/controller-manager.ts'],
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const clock = createFakeClock();
      const rate = createTokenBucket({ clock, ratePerSecond: 1, burst: 1 });
      const { add, end, running } = setUp({ clock, rate });
      for (let n = 0; n < hostile; n++)
        for (const name of OTHERS) add(`${name} ${n}`, { on: [name], paced: true });
      for (let n = 0; n < OWN; n++) add(`a ${n}`, { on: ['a'], paced: true });
      return endsUntil(OWN, async () => {
        await clock.advance(1000);
        const [key] = running();
        if (key !== undefined) end(key);
        return key;
      });
    },
  },
  {
    name: 'the fetches of charts',
    files: [
      'systems/reconciler/components/charts/sources/cache/fetch-slots.ts',
      'systems/reconciler/components/charts/sources/workspaces.ts',
    ],
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const slots = createFetchSlots({
        clock: createFakeClock(),
        maxFetches: 1,
        fetchesPerHost: 1,
        fetchesPerTenant: 1,
      });
      const acquire = (tenant: string, signal: AbortSignal) =>
        new Promise<() => void>((acquired) => {
          const owner = { tenant, hostname: 'one.example' };
          void slots.run(owner, signal, () => new Promise<void>((release) => acquired(release)));
        });
      return waitForSlots(acquire, hostile);
    },
  },
  {
    name: 'the calls to the hosts of an external API',
    files: ['framework/http/session/api-sessions.ts', 'framework/rest/rest-api.ts'],
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const clock = createFakeClock();
      const limiter = createConcurrencyLimiter({ clock });
      const slots = createCallSlots({ clock, limiter, maxCalls: 1, callsPerHost: 1, apiName: 'api' });
      return waitForSlots(slots.acquire, hostile);
    },
  },
];

/** How many ends there are until `own` requests of the tenant `a` have ended. */
async function endsUntil(
  own: number,
  endOne: () => string | undefined | Promise<string | undefined>,
): Promise<number> {
  let left = own;
  for (let ends = 1; ends < 100_000; ends++) {
    if ((await endOne())?.startsWith('a ')) left--;
    if (left === 0) return ends;
  }
  throw new Error('the tenant never got its turn');
}

test.each(SHARED)('$name', async ({ wait, factor }) => {
  const alone = await wait(0);
  for (const hostile of [1, 10, 1000])
    expect(await wait(hostile)).toBeLessThanOrEqual(factor * alone + OTHERS.length);
});

/** What limits or keeps something for several tenants. */
const CREATES =
  /(?<!function )\b(create(?:ConcurrencyLimiter|TokenBucket|WorkerPool|TaskPool|ClusterPool|ServerPool|FetchSlots|CallSlots|HostSlots|LimitSlots|Turns|LruCache|CircuitBreaker|SharedReads)|openConnections)(?:<[^()]*>)?\(/g;

/** Shared, and without a row: by what creates it, or by the file. */
const NO_ROW: Readonly<Record<string, string>> = {
  createLimitSlots: 'a part of the limiter',
  createTurns: 'a part of the limiter, and of the processes of jobs',
  createLruCache: 'what is not in it any more is read again, and the slots above limit who reads',
  createCircuitBreaker: 'of one host or cluster',
  createHostSlots: 'of one host',
  createClusterPool: 'connections of one cluster each',
  createSharedReads: 'of one object, for those who want the same',
  openConnections: 'so many to one origin; hosts of tenants have slots for their calls',
  'systems/reconciler/components/program/run-component.ts':
    'refuses instead of letting tasks wait: shares of a cluster and of a tenant (task-pool.test.ts)',
  'systems/infrastructure-manager/gardener/limited-client.ts':
    'one API for all Runtimes, in the order of their requests (fairness.test.ts)',
  'framework/kube/client/rest-client.ts': 'the watches of one cluster',
  'framework/kube/cluster/cluster-pool.ts': 'the watches of the clusters that one namespace names',
  'systems/reconciler/mothership/create-mothership.ts':
    'operations of a tenant beyond its share are claimed after those of all others (operations.test.ts)',
  'systems/reconciler/mothership/database/postgres.ts': 'statements have a time limit, and tenants send none',
};

test('all that tenants share is a row, or it is said why it is none', () => {
  const root = join(import.meta.dirname, '../../internal');
  const rows = new Set(SHARED.flatMap(({ files }) => files));
  const met = new Set<string>();
  const unnamed: string[] = [];
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/\.ts$/.test(file) || /\.(test|fixture)\.ts$|(^|\/)fakes\//.test(file)) continue;
    for (const [call, creates = ''] of readFileSync(join(root, file), 'utf8').matchAll(CREATES)) {
      const known = [file, creates].filter((name) => rows.has(name) || NO_ROW[name] !== undefined);
      for (const name of known) met.add(name);
      if (known.length === 0) unnamed.push(`${file}: ${call}`);
    }
  }
  expect(unnamed).toEqual([]);
  expect([...rows, ...Object.keys(NO_ROW)].filter((name) => !met.has(name))).toEqual([]);
});

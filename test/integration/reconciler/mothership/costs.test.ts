/** What requests and runs read and decrypt, as numbers: a time would depend on the machine. */
import { expect, jest, test } from '@jest/globals';
import { migrate } from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import type { Keyring } from '../../../../internal/systems/reconciler/mothership/encryption/keyring.ts';
import {
  COMPONENTS,
  KUBECONFIG,
} from '../../../../internal/systems/reconciler/mothership/inventory/cluster-states.ts';
import { campaign } from '../../../campaign/campaign.ts';
import { eventually } from '../../../environment/eventually.ts';
import { startComponentReconciler } from '../../../environment/mothership/component-reconciler.ts';
import { fillHistory } from '../../../environment/mothership/history.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { explainAll, recordStatements, statementsOf } from '../../../environment/mothership/statements.ts';
import {
  clusterDocument,
  startTestMothership,
  testKeyring,
} from '../../../environment/mothership/test-mothership.ts';
import { leftOut, startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

/** The keys of all test databases, with the purposes of what they decrypted. */
function countingKeyring() {
  const decrypted: string[] = [];
  const keyring: Keyring = {
    ...testKeyring,
    decrypt: (sealed, purpose) => {
      decrypted.push(purpose);
      return testKeyring.decrypt(sealed, purpose);
    },
  };
  return { keyring, decrypted };
}

test('a run of six operations decrypts the components once, and the kubeconfig once', async () => {
  const { keyring, decrypted } = countingKeyring();
  const reconciler = await startComponentReconciler();
  const mothership = await startTestMothership({
    database: await databases.open(),
    keyring,
    settings: { reconcilers: { base: reconciler.url }, maxParallel: 1 },
  });
  try {
    await mothership.inventory.upsert(clusterDocument('c1', ['a', 'b', 'c', 'd', 'e']), 1);
    await eventually(async () =>
      expect((await mothership.inventory.status('c1')).status.status).toBe('ready'),
    );
    expect(reconciler.received).toHaveLength(6);
    expect(decrypted.sort()).toEqual([COMPONENTS, KUBECONFIG]);
  } finally {
    await mothership.stop();
    await reconciler.close();
  }
});

type Steps = ReturnType<typeof repositorySteps>;

interface Request {
  readonly what: string;
  readonly before?: (steps: Steps) => Promise<unknown>;
  readonly request: (steps: Steps) => Promise<unknown>;
  /** With the begin and the end of a transaction. */
  readonly statements: number;
  readonly roundTrips: number;
  readonly selects: number;
}

const claimed = async ({ claim }: Steps) => {
  const [operation] = await claim(1);
  if (operation === undefined) throw new Error('nothing was claimed');
  return operation;
};
const begin = ({ begin: start }: Steps) => start('c1', ['a', 'b']);

test.each<Request>([
  {
    what: 'the registration of a new cluster',
    request: ({ inventory }) => inventory.upsert(clusterDocument('c1'), 1),
    statements: 1,
    roundTrips: 1,
    selects: 0,
  },
  {
    what: 'a changed registration',
    before: ({ inventory }) => inventory.upsert(clusterDocument('c1'), 1),
    request: ({ inventory }) => inventory.upsert(clusterDocument('c1', ['a']), 1),
    // The attempt to add it; then the current state and both of its versions, the new version, the status, and a notification.
    statements: 9,
    roundTrips: 7,
    selects: 4,
  },
  {
    what: 'a status that is set',
    before: ({ inventory }) => inventory.upsert(clusterDocument('c1'), 1),
    request: ({ inventory }) => inventory.setStatus('c1', 'ready'),
    statements: 5,
    roundTrips: 3,
    selects: 2,
  },
  {
    what: 'the status of a cluster',
    before: ({ inventory }) => inventory.upsert(clusterDocument('c1'), 1),
    request: ({ inventory }) => inventory.status('c1'),
    statements: 1,
    roundTrips: 1,
    selects: 1,
  },
  {
    what: 'a callback of an operation that runs',
    before: begin,
    request: async (steps) => steps.report(await claimed(steps), 'running'),
    // The claim is one.
    statements: 2,
    roundTrips: 2,
    selects: 0,
  },
  {
    what: 'a callback of an operation that ends, with one that follows',
    before: begin,
    request: async (steps) => steps.report(await claimed(steps), 'success'),
    // The claim; the lock and the change with the begin; what follows with the commit.
    statements: 6,
    roundTrips: 3,
    selects: 1,
  },
  {
    what: 'a callback of an operation that ends its run',
    before: ({ begin: start }) => start('c1', []),
    request: async (steps) => steps.report(await claimed(steps), 'success'),
    // The cluster is locked before its status is stored, with the end of the run and the commit.
    statements: 8,
    roundTrips: 4,
    selects: 2,
  },
])(
  '$what: $statements statements in $roundTrips round trips, $selects of which read',
  async ({ before, request, statements, roundTrips, selects }) => {
    if (databases.server === undefined) return leftOut('the statements of requests');
    const steps = repositorySteps(await databases.open());
    await before?.(steps);
    const sent = await statementsOf(() => request(steps));
    // Each new connection asks once whether its server is the primary.
    const own = sent.filter(({ text }) => !text.includes('pg_is_in_recovery'));
    const texts = own.map(({ text }) => text.trim());
    expect({
      statements: texts.length,
      roundTrips: new Set(own.map(({ roundTrip }) => roundTrip)).size,
      selects: texts.filter((text) => /^select/i.test(text)).length,
      texts,
    }).toEqual({ statements, roundTrips, selects, texts });
  },
);

const CLUSTERS = campaign({ seed: 1, runs: 1 }).long ? 10_000 : 1000;

/** A statement that walks over a table in spite of its plan reads more: the smallest large table has two pages for three clusters. */
const LIMIT_PAGES = CLUSTERS / 2;
/** The failures by cause read the last runs of each failing cluster, of 2,000 at most, by indexes: a few pages each. */
const FAILURES = /with current as .*from failing/s;

// Most of it is the history that is made.
jest.setTimeout(600_000);

test(`with ${CLUSTERS} clusters and ${40 * CLUSTERS} reconciliations no statement reads a large table from end to end`, async () => {
  const { server } = databases;
  if (server === undefined) return leftOut('plans of queries');
  const url = await server.createDatabase();
  const database = databases.connect(url);
  await migrate(database.queries);
  await fillHistory(url, CLUSTERS);
  const explained = await explainAll(url, await recordStatements(database));
  expect(explained.length).toBeGreaterThan(40);
  expect(explained.filter(({ scans }) => scans.length > 0)).toEqual([]);
  const tooMany = explained.filter(
    ({ text, pages }) => pages > (FAILURES.test(text) ? 2 * LIMIT_PAGES : LIMIT_PAGES),
  );
  expect(tooMany).toEqual([]);
});

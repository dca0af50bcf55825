/** What settled mappings cost those they are compared with, request by request: exact numbers, however long it takes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuditEvent } from '../../../../hack/control-planes/access/access.ts';
import { eventually } from '../../../environment/eventually.ts';
import { packageCrds } from '../../../environment/install-crds.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { createFleet, type Fleet } from '../../harness/mappings/fleet.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

const INSTANCES = 2;
const SIZE = 10;
const ROUNDS = 3;
/** HANA Cloud is asked once for each instance in each round, so the number of rounds is known by its lists. */
const OBSERVATIONS = ROUNDS * INSTANCES * SIZE;
/** A fleet's mappings have one instance with its binding and Secret; each has a ConfigMap of its own. */
const sharedSources = ['secrets', 'servicebindings', 'serviceinstances'];

interface Counted {
  /** Requests to the Kyma cluster by verb and resource: `get secrets`. */
  readonly kyma: Readonly<Record<string, number>>;
  /** The same of the management cluster. */
  readonly management: Readonly<Record<string, number>>;
  readonly hana: Readonly<Record<'token' | 'list' | 'create' | 'delete', number>>;
}

let environment: TestEnvironment;
let fleets: Fleet[];
let reader: string;
/** Names and UIDs of the mappings: usages have the latter for a name. */
const ours = new Set<string>();
/** From the start of a provider that finds all mappings settled, over a few polls of each, to its end. */
let run: Counted;

beforeAll(async () => {
  environment = await startTestEnvironment({ flags: { poll: 6000 } });
  reader = uniqueName('reader');
  // A user of this file only, so that the audit log identifies its requests.
  const kubeconfig = await environment.planes.kyma.addUser({ name: reader, groups: ['system:masters'] });
  fleets = await Promise.all(
    Array.from({ length: INSTANCES }, () => createFleet(environment, SIZE, { kubeconfig })),
  );
  for (const fleet of fleets) {
    await fleet.applyClusterIDs();
    await fleet.create();
  }
  for (const fleet of fleets) await fleet.untilReady();
  for (const { metadata } of (await Promise.all(fleets.map((fleet) => fleet.list()))).flat()) {
    ours.add(metadata.name).add(metadata.uid ?? '');
  }
  await environment.provider.stop();
  const before = await countAll();
  await environment.restartProvider();
  await eventually(
    async () => {
      const { hana } = difference(await countAll(), before);
      expect(hana.list).toBeGreaterThanOrEqual(ROUNDS * INSTANCES);
    },
    { timeoutMs: 120_000, intervalMs: 500 },
  );
  await environment.provider.stop();
  run = difference(await countAll(), before);
  await environment.restartProvider();
}, 300_000);
afterAll(() => environment.stop());

describe('an observation of a settled mapping', () => {
  test('reads its four sources, and nothing else of the Kyma cluster', () => {
    const gets = ['configmaps', ...sharedSources].map((source) => `get ${source}`);
    expect(Object.keys(run.kyma).sort()).toEqual([...gets, 'list configmaps']);
  });

  test('reads what is not shared from a list of the namespace, after the first round', () => {
    const { 'get configmaps': gets = 0, 'list configmaps': lists = 0 } = run.kyma;
    expect(gets).toBeGreaterThanOrEqual(INSTANCES);
    expect(gets + lists).toBeLessThan(OBSERVATIONS);
  });

  test('shares its reads with all mappings that have the same source and are observed at the same time', () => {
    for (const source of sharedSources) {
      const reads = run.kyma[`get ${source}`] ?? 0;
      // In each round one for each fleet, and a second one for mappings that came after it had begun.
      expect(reads).toBeGreaterThanOrEqual(ROUNDS * INSTANCES);
      expect(reads * 2).toBeLessThanOrEqual(OBSERVATIONS);
    }
  });

  test('requests nothing of the management cluster: what it needs of it is watched', async () => {
    const all = Object.entries(run.management).filter(([what]) => !/^(list|watch) /.test(what));
    // At the start alone: whether CRDs may be followed (get, list, watch), which of them are there, and each kubeconfig.
    const { 'get undefined': discoveries = 0, ...requests } = Object.fromEntries(all);
    const crds = await packageCrds();
    // A 404 for a kind that is not installed is confirmed by the discovery of its group, which has no object.
    expect(discoveries).toBeLessThanOrEqual(new Set(crds.map(({ spec }) => spec.group)).size);
    expect(requests).toEqual({
      'create selfsubjectaccessreviews': 3,
      'get customresourcedefinitions': expect.any(Number),
      'get secrets': expect.any(Number),
    });
    // Each kubeconfig once, and again for mappings that came after the first read had begun.
    expect(run.management['get secrets']).toBeGreaterThanOrEqual(INSTANCES);
    expect(run.management['get secrets']).toBeLessThan(INSTANCES * SIZE);
    // Again for each that another test applies meanwhile.
    expect(run.management['get customresourcedefinitions']).toBeGreaterThanOrEqual(crds.length);
    expect(run.management['get customresourcedefinitions']).toBeLessThan(ROUNDS * INSTANCES * SIZE);
  });

  test('writes nothing in HANA Cloud, and needs no token while there is one', () => {
    expect(run.hana).toEqual({ token: INSTANCES, list: expect.any(Number), create: 0, delete: 0 });
  });

  test('shares its list with all mappings of its instance that are observed at the same time', () => {
    // One per round on a fast machine; a slow one may need a second one.
    expect(run.hana.list).toBeGreaterThanOrEqual(INSTANCES);
    expect(run.hana.list * 5).toBeLessThanOrEqual(OBSERVATIONS);
  });
});

test('one of the mappings that share a list differs: it is found and created again', async () => {
  const [fleet] = fleets;
  const [lost] = fleet?.mappings() ?? [];
  if (fleet === undefined || lost === undefined) throw new Error('no mapping was made');
  environment.simulator.store.removeMapping(fleet.shared.instanceID, lost);
  await eventually(() => expect(fleet.mappings()).toEqual(fleet.wanted()));
});

test('settled mappings keep no watch open on their Kyma cluster', () => {
  expect(Object.keys(run.kyma).filter((what) => what.startsWith('watch '))).toEqual([]);
});

test('the management cluster is watched once for each kind, and once for each namespace with kubeconfigs', () => {
  const watches = Object.entries(run.management).filter(([what]) => what.startsWith('watch '));
  const more = watches.filter(([, count]) => count !== 1).map(([what]) => what);
  expect(more.sort()).toEqual([]);
});

async function countAll(): Promise<Counted> {
  const [kyma, management] = await Promise.all([
    countOf(await environment.planes.kyma.auditEvents(reader), reader),
    countOf(
      await environment.planes.management.auditEvents(environment.account.user),
      environment.account.user,
    ),
  ]);
  const hana = (route: 'token' | 'list' | 'create' | 'delete') =>
    environment.simulator.requests({ route }).length;
  const routes = { token: hana('token'), list: hana('list'), create: hana('create'), delete: hana('delete') };
  return { kyma, management, hana: routes };
}

function countOf(events: readonly AuditEvent[], user: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verb, stage, objectRef, user: by } of events) {
    if (by.username !== user || (verb === 'watch' && stage !== 'ResponseStarted')) continue;
    if (isForeign(objectRef)) continue;
    const group = verb === 'watch' && objectRef?.apiGroup ? `.${objectRef.apiGroup}` : '';
    const what = `${verb} ${objectRef?.resource}${group}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

/**
 * Every provider counts the users of all configurations and removes usages of resources that are gone, those of other
 * tests included. The name of an event begins with that of its object, if the request has it.
 */
function isForeign({ resource = '', name }: NonNullable<AuditEvent['objectRef']> = {}): boolean {
  if (/providerconfigs$/.test(resource)) return true;
  if (resource === 'events') return ![...ours].some((own) => name?.startsWith(`${own}.`));
  const isKind = ['kymainstancemappings', 'instancemappings', 'providerconfigusages'].includes(resource);
  return isKind && name !== undefined && !ours.has(name);
}

function difference(after: Counted, before: Counted): Counted {
  const of = (a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(a)
        .map(([what, count]) => [what, count - (b[what] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  const { token, list, create, delete: deleted } = after.hana;
  return {
    kyma: of(after.kyma, before.kyma),
    management: of(after.management, before.management),
    hana: {
      token: token - before.hana.token,
      list: list - before.hana.list,
      create: create - before.hana.create,
      delete: deleted - before.hana.delete,
    },
  };
}

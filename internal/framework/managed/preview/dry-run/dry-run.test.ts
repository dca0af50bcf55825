import { beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { nopLogger } from '../../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { managedFinalizer } from '../../../controller/reconcile/finalizer.ts';
import { createMemoryClient, type MemoryClient } from '../../../kube/fakes/memory-client.ts';
import { secrets } from '../../../kube/object/resource-type.ts';
import { createLogger } from '../../../process/telemetry/json-logger.ts';
import { createFakeExternal, type FakeExternalBehaviour } from '../../fakes/fake-external.ts';
import { clusterWidgets, type Widget, type WidgetParts, widget } from '../../fakes/managed-harness.ts';
import type { ManagedKind } from '../../kind/managed-kind.ts';
import { performDryRun } from './dry-run.ts';
import { createOverlayClient, type OverlayClient } from './overlay-client.ts';
import { type ResourcePlan, resourcePlanOf } from './resource-plan.ts';

const clock = createFakeClock();
let server: MemoryClient;
let client: OverlayClient;
beforeEach(() => {
  server = createMemoryClient({ clock });
  client = createOverlayClient(server);
});

interface Foretold extends ResourcePlan {
  readonly calls: readonly string[];
}

async function planFor(
  external: FakeExternalBehaviour<Widget>,
  parts: WidgetParts = {},
  kind: Partial<ManagedKind<Widget>> = {},
): Promise<Foretold> {
  const fake = createFakeExternal<Widget>(external);
  const resource = widget(clusterWidgets, parts);
  const dryRun = await performDryRun<Widget>(
    { type: clusterWidgets, connector: fake.connector, initializers: [], ...kind },
    resource,
    { client, clock, random: () => 0.5, log: nopLogger, signal: new AbortController().signal },
  );
  return { ...resourcePlanOf(resource, dryRun), calls: fake.calls };
}

const writesOf = ({ requests }: MemoryClient) =>
  requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));

const being = (more: WidgetParts = {}): WidgetParts => ({
  ...more,
  metadata: {
    deletionTimestamp: '2024-01-01T00:00:00Z',
    finalizers: [managedFinalizer],
    ...more.metadata,
  },
});

describe('what the reconciler would do', () => {
  const table: {
    title: string;
    external: FakeExternalBehaviour<Widget>;
    parts?: WidgetParts;
    want: Partial<ResourcePlan>;
  }[] = [
    {
      title: 'create what is absent, under the name that is known beforehand',
      external: { observe: { state: 'absent', externalName: 'w-1', desired: { size: 3 } } },
      want: { action: 'create', steps: ['create'], externalName: 'w-1', desired: { size: 3 } },
    },
    {
      title: 'update what differs',
      external: {
        observe: { state: 'present', upToDate: false, diff: 'size is 2', current: { size: 2 } },
      },
      want: { action: 'update', steps: ['update'], reason: 'size is 2', current: { size: 2 } },
    },
    {
      title: 'delete and create where nothing else helps, which is an update as well',
      external: { observe: { state: 'present', upToDate: false, replace: 'drift', diff: 'size is 2' } },
      want: { action: 'update', steps: ['delete', 'create'], reason: 'size is 2' },
    },
    {
      title: 'delete in a deletion',
      external: { observe: { state: 'present', upToDate: true } },
      parts: being(),
      want: { action: 'delete', steps: ['delete'] },
    },
    {
      title: 'nothing where all is as asked',
      external: { observe: { state: 'present', upToDate: true } },
      want: { action: 'nothing', reason: 'it is as asked for' },
    },
    {
      title: 'nothing but adopt what exists',
      external: { observe: { state: 'present', upToDate: true, externalName: 'w-1' } },
      want: { action: 'nothing', reason: 'it exists as asked for and would be adopted', externalName: 'w-1' },
    },
    {
      title: 'nothing in the deletion of an orphan',
      external: { observe: { state: 'present', upToDate: true } },
      parts: being({ spec: { deletionPolicy: 'Orphan' } }),
      want: { action: 'nothing', reason: 'the finalizer would be removed; nothing is deleted externally' },
    },
    {
      title: 'nothing in a deletion that others hold',
      external: { observe: { state: 'present', upToDate: true } },
      parts: being({ metadata: { finalizers: [managedFinalizer, 'example.org/other'] } }),
      want: { action: 'nothing', reason: 'the deletion waits for the finalizer example.org/other' },
    },
    {
      title: 'nothing while paused',
      external: {},
      parts: { metadata: { annotations: { 'crossplane.io/paused': 'true' } } },
      want: { action: 'nothing', reason: expect.stringContaining('paused') as unknown as string },
    },
    {
      title: 'nothing about a difference that policies forbid to correct',
      external: { observe: { state: 'present', upToDate: false, diff: 'size is 2' } },
      parts: { spec: { managementPolicies: ['Observe', 'Create', 'Delete'] } },
      want: {
        action: 'nothing',
        reason: 'size is 2; spec.managementPolicies does not allow to change that',
      },
    },
    {
      title: 'unknown, while a source is missing',
      external: { connect: new WaitingError('Secret x not found') },
      want: { action: 'unknown', problem: 'waiting', reason: 'Secret x not found' },
    },
    {
      title: 'unknown, while another resource holds it',
      external: { connect: new ProviderError('contested', 'another one has it') },
      want: { action: 'unknown', problem: 'conflict', reason: 'another one has it' },
    },
    {
      title: 'fail',
      external: { observe: new ProviderError('auth', 'refused') },
      want: { action: 'unknown', problem: 'error', reason: 'observe failed: refused' },
    },
    {
      title: 'fail where nothing may be created',
      external: { observe: { state: 'absent' } },
      parts: { spec: { managementPolicies: ['Observe'] } },
      want: {
        action: 'unknown',
        problem: 'error',
        reason: 'observe failed: external resource does not exist',
      },
    },
  ];
  test.each(table)('$title', async ({ external, parts, want }) => {
    const { calls, ...plan } = await planFor(external, parts);
    expect(plan).toMatchObject({ steps: [], ...want });
    expect(calls.filter((call) => ['create', 'update', 'delete'].includes(call))).toEqual([]);
    expect(writesOf(server)).toEqual([]);
  });
});

test('what a connector writes with a client stays here too, is noted, and its own reads see it', async () => {
  const key = { namespace: 'shop', name: 'left-over' };
  server.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...key } });
  const seen: unknown[] = [];
  const plan = await planFor({
    connect: async () => {
      await client.delete(secrets, key);
      seen.push(await client.get(secrets, key).catch((error: unknown) => String(error)));
    },
    observe: { state: 'present', upToDate: true },
  });
  expect(plan).toMatchObject({ action: 'nothing' });
  expect(seen).toEqual([expect.stringContaining('would be gone by then')]);
  expect(client.writes.filter(({ type }) => type === secrets)).toEqual([
    { verb: 'delete', type: secrets, key },
  ]);
  expect(writesOf(server)).toEqual([]);
  expect(server.peek(secrets, key)).toBeDefined();
});

test('a resource need not exist, and one that does stays as it is', async () => {
  const stored = server.seed(clusterWidgets, widget(clusterWidgets));
  await planFor({ observe: { state: 'absent', externalName: 'w-1' } });
  expect(server.peek(clusterWidgets, { name: 'w' })).toEqual(stored);
  await expect(planFor({}, { metadata: { name: 'not-there' } })).resolves.toMatchObject({
    action: 'create',
  });
});

test('what it logs of changes says that they are none', async () => {
  const lines: unknown[] = [];
  const log = createLogger({ debug: false, destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const { connector } = createFakeExternal<Widget>({ observe: { state: 'absent' } });
  await performDryRun<Widget>({ type: clusterWidgets, connector, initializers: [] }, widget(clusterWidgets), {
    client,
    clock,
    random: () => 0.5,
    log,
    signal: new AbortController().signal,
  });
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'external resource changed', operation: 'create', dryRun: true }),
  ]);
});

import { describe, expect, test } from '@jest/globals';
import { type Logger, nopLogger } from '../../../base/telemetry/telemetry.ts';
import type { ChangeEntry } from '../../changelog/change-entry.ts';
import type { ChangeLog } from '../../changelog/change-log.ts';
import {
  clusterWidgets,
  createHarness,
  type HarnessOptions,
  namespacedWidgets,
} from '../../fakes/managed-harness.ts';
import { boom, deleted, drifted, existing, failingPuts, requeue, upToDate } from '../scenario.ts';

type Sent = Omit<ChangeEntry, 'provider'>;

function keeping(send: (entry: Sent, signal: AbortSignal) => Promise<void> = async () => undefined) {
  const entries: Sent[] = [];
  const changeLog: ChangeLog = {
    send: async (entry, signal) => {
      entries.push(entry);
      await send(entry, signal);
    },
    close: () => undefined,
  };
  return { entries, changeLog };
}
const named = { metadata: { ...existing.metadata, annotations: { 'crossplane.io/external-name': 'w-1' } } };

interface Case {
  readonly title: string;
  readonly given: Omit<HarnessOptions, 'type'>;
  readonly want: {
    readonly operation: string;
    readonly externalName?: string;
    readonly errorMessage?: string;
  };
}

describe.each([
  { scope: 'Cluster', type: clusterWidgets },
  { scope: 'Namespaced', type: namespacedWidgets },
])('the change log has exactly one entry, $scope', ({ type }) => {
  const table: Case[] = [
    {
      title: '[89] of a create',
      given: { external: { create: { externalName: 'w-9' } } },
      want: { operation: 'create' },
    },
    {
      title: '[90] of a create that failed',
      given: { external: { create: boom } },
      want: { operation: 'create', errorMessage: 'boom' },
    },
    {
      title: '[91] of an update',
      given: { resource: named, external: { observe: drifted } },
      want: { operation: 'update', externalName: 'w-1' },
    },
    {
      title: '[92] of an update that failed',
      given: { resource: named, external: { observe: drifted, update: boom } },
      want: { operation: 'update', externalName: 'w-1', errorMessage: 'boom' },
    },
    {
      title: '[93] of a delete',
      given: { resource: deleted, external: { observe: upToDate } },
      want: { operation: 'delete' },
    },
    {
      title: '[94] of a delete that failed',
      given: { resource: deleted, external: { observe: upToDate, delete: boom } },
      want: { operation: 'delete', errorMessage: 'boom' },
    },
  ];
  test.each(table)('$title', async ({ given, want }) => {
    const { entries, changeLog } = keeping();
    const harness = createHarness({ type, ...given, options: { changeLog } });
    await harness.reconcile();
    expect(entries).toHaveLength(1);
    const { operation, externalName, errorMessage } = entries[0] ?? {};
    expect({ operation, externalName, errorMessage }).toEqual({
      externalName: undefined,
      errorMessage: undefined,
      ...want,
    });
  });
});

const type = namespacedWidgets;

test('the snapshot shows the resource after Observe and before anything was recorded for the attempt', async () => {
  const { entries, changeLog } = keeping();
  const observe = (resource: { status?: object }) => {
    Object.assign(resource, { status: { ...resource.status, atProvider: { size: 7 } } });
    return { state: 'absent' as const };
  };
  await createHarness({ type, external: { observe }, options: { changeLog } }).reconcile();
  const [{ snapshot } = {}] = entries;
  expect(snapshot).toMatchObject({ kind: 'Widget', status: { atProvider: { size: 7 } } });
  expect(snapshot?.metadata.annotations ?? {}).not.toHaveProperty(['crossplane.io/external-create-pending']);
  expect(snapshot?.metadata.finalizers ?? []).toEqual([]);
});

test('what the client adds to its result stands in the entry', async () => {
  const { entries, changeLog } = keeping();
  const external = { observe: drifted, update: { additionalDetails: { request: 'r-1' } } };
  await createHarness({ type, resource: existing, external, options: { changeLog } }).reconcile();
  expect(entries.map(({ additionalDetails }) => additionalDetails)).toEqual([{ request: 'r-1' }]);
});

test('a replacement is a delete and a create, in this order', async () => {
  const { entries, changeLog } = keeping();
  const external = { observe: { ...drifted, replace: 'drift' as const } };
  await createHarness({ type, resource: existing, external, options: { changeLog } }).reconcile();
  expect(entries.map(({ operation }) => operation)).toEqual(['delete', 'create']);
});

test('a reconcile without an external write has no entry', async () => {
  const { entries, changeLog } = keeping();
  await createHarness({
    type,
    resource: existing,
    external: { observe: upToDate },
    options: { changeLog },
  }).reconcile();
  const fence = () => {
    throw boom;
  };
  await createHarness({
    type,
    resource: existing,
    external: { observe: drifted },
    options: { changeLog, fence },
  }).reconcile();
  expect(entries).toEqual([]);
});

test('an entry that cannot be sent is logged, and changes nothing else', async () => {
  const told: unknown[] = [];
  const log: Logger = {
    ...nopLogger,
    info: (message, fields) => told.push([message, fields]),
    child: () => log,
  };
  const { changeLog } = keeping(async () => {
    throw new Error('cannot send change log entry: UNAVAILABLE');
  });
  const external = { observe: drifted };
  const plain = createHarness({ type, resource: existing, external });
  const logging = createHarness({ type, resource: existing, external, options: { changeLog, log } });
  expect(await logging.reconcile()).toEqual(await plain.reconcile());
  expect(logging.stored()).toEqual(plain.stored());
  expect(told).toEqual([
    ['external resource changed', expect.objectContaining({ operation: 'update' })],
    [
      'cannot record change log entry',
      { operation: 'update', error: 'cannot send change log entry: UNAVAILABLE' },
    ],
  ]);
});

test('the outcome of Create is on record before the change log has answered', async () => {
  const answered = Promise.withResolvers<void>();
  const { changeLog } = keeping(() => answered.promise);
  const harness = createHarness({ type, options: { changeLog } });
  const running = harness.reconcile();
  for (let turns = 0; turns < 100; turns++) await Promise.resolve();
  expect(harness.stored()?.metadata.annotations).toHaveProperty(['crossplane.io/external-create-succeeded']);
  answered.resolve();
  expect(await running).toEqual(requeue);
});

test('a credential in an error does not reach the change log', async () => {
  const { entries, changeLog } = keeping();
  const external = { create: new Error('refused: {"clientsecret":"s3cret-value"}') };
  await createHarness({ type, external, options: { changeLog } }).reconcile();
  expect(entries).toHaveLength(1);
  expect(JSON.stringify(entries)).not.toContain('s3cret-value');
});

test('an attempt counts even if what follows it fails', async () => {
  const { entries, changeLog } = keeping();
  const harness = createHarness({ type, options: { changeLog } });
  harness.client.onRequest(failingPuts(boom, 2));
  await harness.reconcile();
  expect(entries.map(({ operation, errorMessage }) => ({ operation, errorMessage }))).toEqual([
    { operation: 'create', errorMessage: undefined },
  ]);
});

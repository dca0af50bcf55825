import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { observeRun } from '../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { publishFakeWrite } from '../../internal/framework/http/transport/send-request.ts';
import { createMemoryClient, type MemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { configMaps } from '../../internal/framework/kube/object/resource-type.ts';
import { createSecretPublisher } from '../../internal/framework/managed/connection/secret-publisher.ts';
import { observingStatements } from '../../internal/systems/reconciler/mothership/database/database.ts';
import { violationsOfTest } from './guards.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'a' } };
const insert = { kind: 'InsertQueryNode' } as never;

/** A part of the program that writes once. */
const publish = async (client: MemoryClient) => {
  const metadata = { namespace: 'shop', name: 'a', uid: '1' };
  const spec = { writeConnectionSecretToRef: { name: 's' } };
  const resource = { apiVersion: 'v1', kind: 'Widget', metadata, spec } as never;
  const { signal } = new AbortController();
  await createSecretPublisher({ client, clock: systemClock }).publish(resource, { a: '1' }, signal);
};
const writers: readonly [string, (client: MemoryClient) => unknown][] = [
  ['an object', (client) => client.create(configMaps, object)],
  ['a request', () => publishFakeWrite('create', {})],
  ['a statement', () => observingStatements.transformQuery({ node: insert } as never)],
  ['an object by the program', publish],
];

test.each(writers)('%s that is written within its run is no violation', async (_, write) => {
  const client = createMemoryClient({ clock: systemClock });
  await observeRun('task', async () => write(client));
  expect(violationsOfTest()).toEqual([]);
});

test.each<[string, boolean]>([
  ['has ended', false],
  ['is over though it goes on', true],
])('what is written when its run %s is found', async (_title, goesOn) => {
  const client = createMemoryClient({ clock: systemClock });
  let over = false;
  let late: Promise<void> | undefined;
  const work = async () => {
    late = sleep(5).then(() => publish(client));
    if (goesOn) await late;
  };
  const running = observeRun('task', work, () => over);
  over = true;
  await running;
  await late;
  expect(violationsOfTest()).toEqual([
    {
      guard: 'live-run',
      where: 'internal/framework/managed/connection/secret-publisher.ts#apply',
      what: 'create of secrets after the end of the task',
    },
  ]);
});

/** The record of the cluster ID, by which later starts notice that it was changed. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Logger, nopLogger } from '../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../framework/base/time/fake-clock.ts';
import { apiError, createMemoryClient, type MemoryClient } from '../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../framework/kube/index.ts';
import { clusterIDName, clusterIDRecorder } from './cluster-id.ts';

const key = { namespace: 'release', name: clusterIDName };

/** A start of the program, which goes on until it is stopped. */
async function start(initialClusterID: string, prepare: (client: MemoryClient) => void) {
  const client = createMemoryClient({ clock: createFakeClock() });
  prepare(client);
  const errors: string[] = [];
  const log: Logger = { ...nopLogger, error: (message) => void errors.push(message) };
  const settings = { clusterID: 'cluster', initialClusterID, releaseNamespace: 'release' };
  const stop = new AbortController();
  const running = clusterIDRecorder({ client, settings, log }).start(stop.signal, stop.signal);
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  stop.abort(new Error('stopped'));
  await running;
  const recorded = client.peek(secrets, key)?.data?.INITIAL_CLUSTER_ID;
  return { recorded: recorded && Buffer.from(recorded, 'base64').toString(), errors };
}

const recordOf = (id: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: key,
  data: { INITIAL_CLUSTER_ID: Buffer.from(id).toString('base64') },
});

test.each<{
  title: string;
  initial: string;
  prepare?: (client: MemoryClient) => void;
  recorded: string | undefined;
  errors?: string[];
}>([
  { title: 'the first start records the ID', initial: '', recorded: 'cluster' },
  { title: 'a later start records nothing', initial: 'cluster', recorded: undefined },
  {
    title: 'a record that is there stays, and is no error',
    initial: '',
    prepare: (client) => client.seed(secrets, recordOf('first')),
    recorded: 'first',
  },
  {
    title: 'a record that is refused is an error of the log, and the program goes on',
    initial: '',
    prepare: (client) =>
      client.onRequest(() => {
        throw apiError(403, 'Forbidden', 'no rights');
      }),
    recorded: undefined,
    errors: ['cannot record the cluster ID'],
  },
])('$title', async ({ initial, prepare = () => undefined, recorded, errors = [] }) => {
  expect(await start(initial, prepare)).toEqual({ recorded, errors });
});

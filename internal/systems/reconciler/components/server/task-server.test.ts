import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import { startLoopbackServers } from '../../../../framework/process/server/loopback-servers.ts';
import type { Offer, TaskPool } from '../pool/task-pool.ts';
import { testTask } from '../runner/fake-parts.fixture.ts';
import { createAccess, createTaskListener, refusedRequestPage } from './task-server.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve({ offer = 'accepted' as Offer, tokens = '' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'task-server-'));
  const tokenFile = tokens === '' ? '' : join(folder, 'tokens');
  if (tokens !== '') await writeFile(tokenFile, tokens);
  const pool: Pick<TaskPool, 'offer' | 'isOpen'> = { offer: () => offer, isOpen: () => offer !== 'closed' };
  const servers = await startLoopbackServers(
    {
      clock: systemClock,
      log: nopLogger,
      maxBodyBytes: 10_000,
      failurePage: (_, status) => refusedRequestPage(status),
      listener: createTaskListener({
        pool,
        access: await createAccess({ asksForCertificate: false, tokenFile }),
        settings: { maxRetries: 5 },
        metrics: { contentType: 'text/plain', text: async () => 'metrics' },
        log: nopLogger,
      }),
    },
    0,
  );
  stops.push(async () => {
    await Promise.all(servers.map((server) => server.close(AbortSignal.abort())));
    await rm(folder, { recursive: true });
  });
  const call = async (
    method: string,
    path: string,
    { body, token }: { body?: string; token?: string } = {},
  ): Promise<string> => {
    const response = await fetch(`http://${servers[0]?.address}${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    return `${response.status} ${await response.text()}`;
  };
  return { call, tokenFile };
}

const body = JSON.stringify(testTask());

test.each([
  { offer: 'accepted', want: '200 {}' },
  {
    offer: { limit: 'workers', tasks: 50 },
    want: '429 {"error":"all 50 workers are busy (--worker-count)"}',
  },
  {
    offer: { limit: 'cluster', tasks: 25 },
    want: '429 {"error":"25 workers are busy with this cluster, which may have no more of them"}',
  },
  {
    offer: { limit: 'tenant', tasks: 37 },
    want: '429 {"error":"37 workers are busy with clusters of this tenant, which may have no more of them"}',
  },
  {
    offer: { limit: 'waiting', tasks: 500 },
    want: '429 {"error":"500 tasks are in progress or wait for their next attempt: no more are accepted"}',
  },
  { offer: 'closed', want: '500 {"error":"cannot begin the task: the component reconciler is stopping"}' },
] as const)('[R50] a task is answered with $want', async ({ offer, want }) => {
  const { call } = await serve({ offer });
  expect(await call('POST', '/v1/run', { body })).toBe(want);
  expect(await call('PUT', '/v99/run', { body })).toBe(want);
});

test('[R51] what is no task, or too large, is answered with the error as JSON', async () => {
  const { call } = await serve();
  expect(await call('POST', '/v1/run', { body: '{}' })).toMatch(/^400 \{"error":"the task has no component,/);
  expect(await call('POST', '/v1/run', { body: 'x' })).toMatch(/^500 \{"error":"cannot read the task/);
  expect(await call('POST', '/v1/run', { body: 'x'.repeat(20_000) })).toMatch(
    /^500 \{"error":"the body has more/,
  );
  expect(await call('GET', '/v1/run')).toMatch(/^405 /);
  expect(await call('POST', '/run', { body })).toMatch(/^40[45] /);
});

test('probes and metrics: ready while tasks are accepted', async () => {
  const open = await serve();
  expect(await open.call('GET', '/health/live')).toMatch(/^200 /);
  expect(await open.call('GET', '/health/ready')).toMatch(/^200 /);
  expect(await open.call('GET', '/metrics')).toBe('200 metrics');
  const closed = await serve({ offer: 'closed' });
  expect(await closed.call('GET', '/health/ready')).toMatch(/^503 /);
});

test('tasks need one of the tokens of the file, which can be replaced; probes need none', async () => {
  const { call, tokenFile } = await serve({ tokens: 'old\n\nother\n' });
  expect(await call('POST', '/v1/run', { body })).toMatch(/^401 /);
  expect(await call('POST', '/v1/run', { body, token: 'wrong' })).toMatch(/^401 /);
  expect(await call('POST', '/v1/run', { body, token: 'other' })).toBe('200 {}');
  await writeFile(tokenFile, 'new');
  expect(await call('POST', '/v1/run', { body, token: 'old' })).toMatch(/^401 /);
  expect(await call('POST', '/v1/run', { body, token: 'new' })).toBe('200 {}');
  expect(await call('GET', '/health/ready')).toMatch(/^200 /);
});

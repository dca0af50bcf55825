import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createOccupancyReporter } from './occupancy-reporter.ts';

function start(answer: (method: string) => number = () => 200, running = 2) {
  const clock = createFakeClock();
  const calls: string[] = [];
  const reporter = createOccupancyReporter({
    clock,
    log: nopLogger,
    pool: { size: 3, running: () => running },
    poolId: 'pod/1',
    component: 'base',
    callbacks: {
      send: async (method, url, body) => {
        calls.push(`${clock.monotonic() / 1000} ${method} ${url} ${JSON.stringify(body) ?? ''}`.trim());
        return answer(method);
      },
    },
  });
  const stopping = new AbortController();
  const ended = reporter.runnable.start(stopping.signal, stopping.signal);
  return { clock, calls, reporter, stopping, ended };
}

const url = 'https://mothership:8080/v1/occupancy/pod%2F1';
const post = `POST ${url} {"component":"base","runningWorkers":2,"poolSize":3}`;
const task = { callbackURL: 'https://mothership:8080/v1/operations/s/callback/c?token=t' };

test('the mothership of the first task is told every 30 s, and when this process stops', async () => {
  const { clock, calls, reporter, stopping, ended } = start();
  await clock.advance(10_000);
  expect(calls).toEqual([]);
  reporter.taskAccepted(task);
  reporter.taskAccepted({ callbackURL: 'https://other/' });
  await clock.advance(31_000);
  stopping.abort();
  await ended;
  expect(calls).toEqual([
    // What an earlier process of this name left may have another size.
    `10 DELETE ${url}`,
    `10 ${post}`,
    `40 ${post}`,
    `41 DELETE ${url}`,
  ]);
});

test('a mothership that tracks none is asked less often, until the next task', async () => {
  const { clock, calls, reporter } = start((method) => (method === 'POST' ? 404 : 200));
  reporter.taskAccepted(task);
  await clock.advance(300_000);
  const times = () => calls.filter((call) => call.includes('POST')).map((call) => Number.parseInt(call, 10));
  expect(times()).toEqual([0, 60, 180, 300]);
  reporter.taskAccepted(task);
  await clock.advance(1000);
  expect(times()).toEqual([0, 60, 180, 300, 300]);
  // The interval begins anew as well.
  await clock.advance(60_000);
  expect(times().slice(5)).toEqual([360]);
});

test('an ordinary answer ends the longer interval, and one that has failed is followed by a removal', async () => {
  const statuses = [404, 200, 500, 200, 200];
  const { clock, calls, reporter } = start((method) => (method === 'POST' ? (statuses.shift() ?? 200) : 200));
  reporter.taskAccepted(task);
  await clock.advance(160_000);
  expect(calls.map((call) => call.split(' ', 2).join(' '))).toEqual([
    '0 DELETE',
    '0 POST',
    '60 POST',
    '90 POST',
    // The mothership may have the pool with another size.
    '120 DELETE',
    '120 POST',
    '150 POST',
  ]);
});

test('tasks that wait for a worker of an earlier attempt are no more than all workers', async () => {
  const { clock, calls, reporter } = start(() => 200, 5);
  reporter.taskAccepted(task);
  await clock.advance(0);
  expect(calls.at(-1)).toContain('"runningWorkers":3,"poolSize":3');
});

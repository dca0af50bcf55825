import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createOccupancyReporter } from './occupancy-reporter.ts';

function start(answer: (method: string) => number = () => 200) {
  const clock = createFakeClock();
  const calls: string[] = [];
  const reporter = createOccupancyReporter({
    clock,
    log: nopLogger,
    pool: { size: 3, running: () => 2 },
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
});

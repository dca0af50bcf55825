import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../internal/framework/base/telemetry/fake-metrics.ts';
import { nopLogger } from '../../internal/framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { createFakeRecorder } from '../../internal/framework/kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { secrets } from '../../internal/framework/kube/object/resource-type.ts';
import { violationsOfTest } from './guards.ts';

const value = 'correct-horse-battery';
const client = createMemoryClient({ clock: createFakeClock() });
const metadata = { namespace: 'shop', name: 'a' };
const object = { apiVersion: 'v1', kind: 'Widget', metadata };
const recorder = createFakeRecorder();
const metrics = createFakeMetrics().counter({ name: 'n', help: '' });

/** Called by a timer, so that the stack contains no test. */
const outputs: readonly [string, () => void][] = [
  ['a log line', nopLogger.info.bind(undefined, 'answer', { text: `it said ${btoa(value)}` })],
  ['a log line', nopLogger.error.bind(undefined, 'error', { error: new Error(value) })],
  ['an event', recorder.record.bind(undefined, object, 'Normal', 'Read', value)],
  ['a metric', metrics.inc.bind(undefined, { host: value })],
];

test.each(outputs)('a value of a Secret in %s is found', async (_kind, write) => {
  client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, name: `b${Math.random()}` },
    data: { password: btoa(value) },
  });
  setTimeout(write, 0);
  await sleep(5);
  expect(violationsOfTest()).toEqual([expect.objectContaining({ guard: 'taint', where: 'unknown' })]);
});

test('what is no value of a Secret of the same test is not', async () => {
  for (const [, write] of outputs) setTimeout(write, 0);
  await sleep(5);
  expect(violationsOfTest()).toEqual([]);
});

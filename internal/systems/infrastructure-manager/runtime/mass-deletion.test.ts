import { expect, test } from '@jest/globals';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import {
  createFakeCache,
  createFakeClock,
  createFakeMetrics,
  createFakeRecorder,
} from '../../../framework/managed/fakes/index.ts';
import { runtimeOf } from './fixtures/runtime.fixture.ts';
import { watchMassDeletion } from './mass-deletion.ts';

function setup(threshold: number) {
  const clock = createFakeClock();
  const cache = createFakeCache<Runtime>();
  const recorder = createFakeRecorder();
  const metrics = createFakeMetrics();
  watchMassDeletion(cache, { clock, log: nopLogger, metrics, recorder, threshold });
  let count = 0;
  const mark = (number: number) => {
    for (let i = 0; i < number; i++) {
      const runtime = runtimeOf({}, { name: `runtime-${count++}`, resourceVersion: '1' });
      cache.put(runtime);
      const metadata = {
        ...runtime.metadata,
        resourceVersion: '2',
        deletionTimestamp: '2024-01-01T00:00:00Z',
      };
      cache.put({ ...runtime, metadata });
    }
  };
  const total = () => metrics.value('infrastructure_manager_im_mass_deletions_total', {});
  return { clock, recorder, mark, total };
}

test('[I10.9] more deletions within a minute than the threshold are one event and count once', async () => {
  const { clock, recorder, mark, total } = setup(20);
  mark(20);
  expect(recorder.lines()).toEqual([]);
  mark(5);
  expect(recorder.lines()).toEqual([
    'Warning MassDeletion: more than 20 Runtimes were marked for deletion within a minute',
  ]);
  expect(recorder.events[0]?.object.metadata.name).toBe('runtime-20');
  await clock.advance(60_000);
  mark(20);
  expect(total()).toBe(1);
  mark(1);
  expect(total()).toBe(2);
});

test('deletions in different minutes, and a threshold of 0, report nothing', async () => {
  const { clock, recorder, mark } = setup(20);
  for (let minute = 0; minute < 3; minute++) {
    mark(15);
    await clock.advance(60_000);
  }
  expect(recorder.lines()).toEqual([]);
  const off = setup(0);
  off.mark(100);
  expect(off.recorder.lines()).toEqual([]);
});

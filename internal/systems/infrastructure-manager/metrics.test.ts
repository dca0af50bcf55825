import { expect, test } from '@jest/globals';
import { createPrometheusMetrics } from '../../framework/process/index.ts';
import { clusterStates, kubeconfigExpirations, objectSeries, runtimeStates } from './metrics.ts';

test('[N126] gauges name the Shoot by the label shoot', async () => {
  const shown: Record<string, readonly string[]> = {};
  const metrics = {
    gauge: ({ name, labels = [] }: { name: string; labels?: readonly string[] }) => {
      shown[name] = labels;
      return { set: () => undefined, remove: () => undefined, clear: () => undefined };
    },
  } as never;
  const cache = { subscribe: () => () => undefined } as never;
  runtimeStates(cache, { metrics });
  clusterStates(cache, { metrics });
  kubeconfigExpirations({ metrics });
  for (const labels of Object.values(shown)) {
    expect(labels).toContain('shoot');
    expect(labels).not.toContain('shootName');
  }
  expect(Object.keys(shown)).toHaveLength(3);
});

test('a series whose labels stay is set, and not replaced', () => {
  const calls: string[] = [];
  const gauge = {
    set: (value: number, labels = {}) => void calls.push(`set ${value} ${JSON.stringify(labels)}`),
    inc: () => undefined,
    remove: (labels: object) => void calls.push(`remove ${JSON.stringify(labels)}`),
  };
  const series = objectSeries(gauge);
  series.set('a', { message: 'm' }, 1);
  series.set('a', { message: 'm' }, 2);
  series.set('a', { message: 'n' }, 2);
  expect(calls).toEqual([
    ...['set 1 {"message":"m"}', 'set 2 {"message":"m"}'],
    ...['remove {"message":"m"}', 'set 2 {"message":"n"}'],
  ]);
});

test('so many objects have a series of their own, all others share one, which counts them', async () => {
  const metrics = createPrometheusMetrics();
  const series = objectSeries(metrics.gauge({ name: 'states', help: 'h', labels: ['shoot', 'message'] }), 2);
  const set = (key: string) => series.set(key, { shoot: key, message: 'm' }, 1);
  const shown = async () => (await metrics.text()).split('\n').filter((line) => line.startsWith('states{'));
  for (const key of ['a', 'b', 'c', 'd', 'c', 'a']) set(key);
  const own = ['states{shoot="a",message="m"} 1', 'states{shoot="b",message="m"} 1'];
  expect((await shown()).sort()).toEqual([...own, 'states{shoot="other",message="other"} 2']);
  series.remove('d');
  expect((await shown()).sort()).toEqual([...own, 'states{shoot="other",message="other"} 1']);
  series.clear();
  expect(await shown()).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { buildInfoMetric, reportBuildInfo } from './build-info.ts';
import { createFakeMetrics } from './fake-metrics.ts';

const { node } = process.versions;

test.each([
  ['provider-notes', 'provider_notes_build_info'],
  ['provider-my-notes.v2', 'provider_my_notes_v2_build_info'],
])('the build of %s is the metric %s', (program, metric) => {
  const metrics = createFakeMetrics();
  reportBuildInfo(metrics, program, { version: '1.2.3', revision: 'abc' });
  expect(buildInfoMetric(program)).toBe(metric);
  expect(metrics.value(metric, { version: '1.2.3', revision: 'abc', node_version: node })).toBe(1);
});

test('code that is not bundled is of the version dev', () => {
  const metrics = createFakeMetrics();
  reportBuildInfo(metrics, 'provider-notes');
  const labels = { version: 'dev', revision: '', node_version: node };
  expect(metrics.value('provider_notes_build_info', labels)).toBe(1);
});

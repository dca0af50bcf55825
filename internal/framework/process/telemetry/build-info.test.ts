import { expect, test } from '@jest/globals';
import { reportBuildInfo } from './build-info.ts';
import { createPrometheusMetrics } from './prometheus.ts';

test.each([
  ['provider-notes', 'provider_notes_build_info'],
  ['provider-my-notes.v2', 'provider_my_notes_v2_build_info'],
])('the build of %s is the metric %s', async (program, metric) => {
  const metrics = createPrometheusMetrics();
  reportBuildInfo(metrics, program, { version: '1.2.3', revision: 'abc' });
  const { node } = process.versions;
  expect(await metrics.text()).toContain(
    `${metric}{version="1.2.3",revision="abc",node_version="${node}"} 1`,
  );
});

test('code that is not bundled is of the version dev', async () => {
  const metrics = createPrometheusMetrics();
  reportBuildInfo(metrics, 'provider-notes');
  expect(await metrics.text()).toContain('version="dev",revision=""');
});

import { describe, expect, test } from '@jest/globals';
import { createPrometheusMetrics } from './prometheus.ts';

describe('createPrometheusMetrics', () => {
  test('counters, gauges and histograms appear on the page with their labels', async () => {
    const metrics = createPrometheusMetrics();
    metrics.counter({ name: 'c_total', help: 'c', labels: ['a'] }).inc({ a: 'x' }, 2);
    metrics.gauge({ name: 'g', help: 'g' }).set(7);
    metrics.histogram({ name: 'h', help: 'h', buckets: [1, 2] }).observe(1.5);
    const page = await metrics.text();
    expect(page).toContain('c_total{a="x"} 2');
    expect(page).toContain('g 7');
    expect(page).toContain('h_bucket{le="1"} 0');
    expect(page).toContain('h_bucket{le="2"} 1');
    expect(metrics.contentType).toContain('text/plain');
  });

  test('asking twice for a name gives one metric, since every controller asks for the same ones', async () => {
    const metrics = createPrometheusMetrics();
    const ask = () => metrics.counter({ name: 'c_total', help: 'c' });
    ask().inc();
    ask().inc();
    expect(await metrics.text()).toContain('c_total 2');
  });

  test('a removed label set leaves no series behind', async () => {
    const metrics = createPrometheusMetrics();
    const gauge = metrics.gauge({ name: 'g', help: 'g', labels: ['a'] });
    gauge.set(1, { a: 'gone' });
    gauge.remove({ a: 'gone' });
    expect(await metrics.text()).not.toContain('gone');
  });

  test('updates run before each read-out until they are ended', async () => {
    const metrics = createPrometheusMetrics();
    const gauge = metrics.gauge({ name: 'g', help: 'g' });
    let reads = 0;
    const end = metrics.onScrape(() => gauge.set(++reads));
    expect(await metrics.text()).toContain('g 1');
    end();
    expect(await metrics.text()).toContain('g 1');
  });

  test('two sets of metrics share nothing', async () => {
    const one = createPrometheusMetrics();
    const other = createPrometheusMetrics();
    one.counter({ name: 'c_total', help: 'c' }).inc();
    expect(await other.text()).not.toContain('c_total');
  });
});

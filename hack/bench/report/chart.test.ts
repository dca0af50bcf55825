import { describe, expect, test } from '@jest/globals';
import { type Chart, mergeCharts, readyOverTime, renderChart, schemes } from './chart.ts';

const chart: Chart = {
  name: 'cost',
  title: 'CPU < 6 ms & more',
  x: 'objects',
  y: 'ms',
  series: [
    {
      name: 'provider',
      points: [
        [200, 9],
        [1000, 6],
      ],
    },
    {
      name: 'plain',
      points: [
        [200, 3],
        [1000, 2.5],
      ],
    },
  ],
};

describe.each(schemes)('a chart for %s pages', (scheme) => {
  const text = renderChart(chart, scheme);

  test('has axes from 0, with round steps', () => {
    expect([...text.matchAll(/text-anchor="middle">([^<]+)</g)].map(([, value]) => value)).toEqual([
      '0',
      '200',
      '400',
      '600',
      '800',
      '1,000',
    ]);
    expect([...text.matchAll(/text-anchor="end">(\d+)</g)].map(([, value]) => value)).toEqual([
      '0',
      '2',
      '4',
      '6',
      '8',
      '10',
    ]);
  });

  test('has a line and a name for each series, in a colour of its own', () => {
    const strokes = [...text.matchAll(/fill="none" stroke="([^"]+)"/g)].map(([, color]) => color);
    expect(new Set(strokes).size).toBe(2);
    // The largest x is at the right edge of the area, 9 of 10 near its top.
    expect(text).toContain('<path d="M169.6 64.4L624 125.6" fill="none"');
    expect(text).toContain('>provider</text>');
    expect(text).toContain('>plain</text>');
  });

  test('is small, and its texts are escaped', () => {
    expect(text).toContain('<title>CPU &lt; 6 ms &amp; more</title>');
    expect(text.length).toBeLessThan(8 * 1024);
  });
});

test('a chart without a value has axes', () => {
  expect(renderChart({ ...chart, series: [{ name: 'none', points: [] }] }, 'light')).toContain('>1</text>');
});

test('results of several measurements with the same name are one chart', () => {
  const idle: Chart = { ...chart, series: [{ name: 'provider', points: [[0, 1]] }] };
  const [merged, ...others] = mergeCharts([chart, { ...chart, name: 'other' }, idle]);
  expect(others.map(({ name }) => name)).toEqual(['other']);
  expect(merged?.series.map(({ name, points }) => [name, points.map(([x]) => x)])).toEqual([
    ['provider', [0, 200, 1000]],
    ['plain', [200, 1000]],
  ]);
});

test('a curve of many objects has few points, the last one among them', () => {
  const { points } = readyOverTime(
    'provider',
    Array.from({ length: 1001 }, (_, index) => (1001 - index) / 100),
  );
  expect(points.length).toBeLessThan(65);
  expect(points[0]).toEqual([0, 0]);
  expect(points.at(-1)).toEqual([10.01, 1001]);
  expect(readyOverTime('provider', [1, Number.NaN, 2]).points).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
});

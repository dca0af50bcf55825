import { expect, test } from '@jest/globals';
import { renderMarkdown, renderText } from './render.ts';
import type { Report } from './report.ts';

/** A report with one of each: a rate, a time that misses its target, a count, a note, a profile. */
const sampleReport: Report = {
  version: '1.2.3',
  machine: {
    cores: 2,
    model: 'Some CPU',
    memoryGiB: 24,
    platform: 'linux x64',
    node: 'v24.1.0',
    loadBefore: 0.25,
  },
  date: '2026-01-02T03:04:05.000Z',
  seconds: 425,
  sections: [
    {
      name: 'steady',
      title: 'Steady mappings',
      method: 'In memory.',
      figures: [{ name: 'reconciles', unit: '/s', value: 20_500, plain: 82_000, target: 5000 }],
      notes: [],
      charts: [
        {
          name: 'ready',
          title: 'Ready over time',
          x: 's',
          y: 'mappings',
          series: [{ name: 'provider', points: [[1, 2]] }],
        },
      ],
      profiles: [
        {
          title: 'Steady reconciles',
          busyMs: 4000,
          functions: [
            {
              name: 'schedule',
              place: { file: 'internal/framework/controller/queue/work-queue.ts', line: 10 },
              selfMs: 400,
              share: 0.1,
            },
            { name: '(garbage collector)', selfMs: 200, share: 0.05 },
          ],
          parts: [{ part: 'internal/runtime', selfMs: 3000, share: 0.75 }],
        },
      ],
    },
    {
      name: 'start-up',
      title: 'Start-up',
      method: 'Several launches.',
      figures: [
        { name: 'launch to watches, `bin/provider-kyma`', unit: 'ms', value: 500, plain: 100, target: 400 },
        { name: 'watches', unit: '', value: 2 },
      ],
      notes: ['requests for each: 2 get a|b'],
      profiles: [],
      charts: [],
    },
  ],
};

const text = renderMarkdown(sampleReport);

test('it names machine, date and load', () => {
  expect(text).toContain('- Version 1.2.3, 2026-01-02; the run took 7 min\n');
  expect(text).toContain('- Some CPU, 2 cores, 24 GiB, linux x64, Node v24.1.0; load 0.3 before the run\n');
});

test('charts come first, for light and dark pages', () => {
  const picture = [
    '<picture>',
    '  <source media="(prefers-color-scheme: dark)" srcset="charts/ready.dark.svg">',
    '  <img alt="Ready over time" src="charts/ready.light.svg">',
    '</picture>',
  ].join('\n');
  expect(text).toContain(`${picture}\n\n|  | provider |`);
});

test('one table has all figures, a missed target in bold', () => {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.slice(0, 7)).toEqual([
    '|  | provider | plain | ratio | target |',
    '| --- | ---: | ---: | ---: | --- |',
    '| **Steady mappings** (`--only steady`) |  |  |  |  |',
    '| reconciles | 20,500/s | 82,000/s | 4× | ≥ 5,000/s, met |',
    '| **Start-up** (`--only start-up`) |  |  |  |  |',
    '| launch to watches, `bin/provider-kyma` | 500 ms | 100 ms | 5× | **≤ 400 ms, missed by 25 %** |',
    '| watches | 2 |  |  |  |',
  ]);
});

test('missed targets are named at the top, and so is that there are none', () => {
  expect(text).toContain('- Targets missed: launch to watches, `bin/provider-kyma`\n');
  const [first] = sampleReport.sections;
  const met = renderMarkdown({ ...sampleReport, sections: first === undefined ? [] : [first] });
  expect(met).toContain('- Every target is met\n');
});

test('each measurement has its command, method and notes', () => {
  expect(text).toContain(
    '### Start-up\n\n`npm run bench -- --only start-up`\n\nSeveral launches.\n\n- requests for each: 2 get a|b\n',
  );
});

test('a profile shows parts and functions with their places', () => {
  expect(text).toContain(`## Where the CPU time goes

| part | Steady reconciles |
| --- | ---: |
| internal/runtime | 75.0 % |
| smaller parts | 25.0 % |

### Steady reconciles
`);
  expect(text).toContain('| 10 % | `schedule` | internal/framework/controller/queue/work-queue.ts:10 |\n');
  expect(text).toContain('| 5 % | `(garbage collector)` |  |\n');
});

test('the report for a terminal is one table under a line for each measurement, with its command', () => {
  expect(renderText(sampleReport)).toBe(`provider-kyma 1.2.3, 2026-01-02T03:04:05.000Z, 425 s
Some CPU, 2 cores, 24 GiB, linux x64, Node v24.1.0; load 0.3 before the run

                                      provider  plain     ratio  target

Steady mappings (npm run bench -- --only steady)
reconciles                            20,500/s  82,000/s  4×     ≥ 5,000/s, met

Steady reconciles: self time, of 4,000 ms busy
share  function             where
10 %   schedule             internal/framework/controller/queue/work-queue.ts:10
5 %    (garbage collector)
share  part
75 %   internal/runtime

Start-up (npm run bench -- --only start-up)
launch to watches, bin/provider-kyma  500 ms    100 ms    5×     ≤ 400 ms, missed by 25 %
watches                               2
- requests for each: 2 get a|b
`);
});

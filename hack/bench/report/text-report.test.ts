import { expect, test } from '@jest/globals';
import { sampleReport } from './report.fixture.ts';
import { alignColumns, renderText } from './text-report.ts';

test('the report for a terminal is one table under a line for each measurement, with its command', () => {
  expect(renderText(sampleReport)).toBe(`provider-kyma 1.2.3, 2026-01-02T03:04:05.000Z, 425 s
Some CPU, 2 cores, 24 GiB, linux x64, Node v24.1.0; load 0.3 before the run

                                      provider     plain  ratio  target

The framework alone (npm run bench -- --only framework)
reconciles                            20,500/s  82,000/s     4×  ≥ 5,000/s, met

Steady reconciles: self time, of 4,000 ms busy
10 %  schedule             internal/runtime/controller/queue/work-queue.ts:10
 5 %  (garbage collector)
  75 %  internal/runtime

Start-up (npm run bench -- --only start-up)
launch to watches, bin/provider-kyma    500 ms    100 ms     5×  ≤ 400 ms, missed by 25 %
watches                                      2
- requests for each: 2 get a|b
`);
});

test('columns are as wide as their widest cell, and numbers end at one place', () => {
  expect(
    alignColumns(
      [
        ['a', '1', 'x'],
        ['long', '100', ''],
      ],
      [1],
    ),
  ).toEqual(['a       1  x', 'long  100']);
});

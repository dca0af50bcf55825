import { expect, test } from '@jest/globals';
import { renderMarkdown } from './markdown-report.ts';
import { sampleReport } from './report.fixture.ts';

const text = renderMarkdown(sampleReport);

test('it names machine, date and load', () => {
  expect(text).toContain('- Version 1.2.3, 2026-01-02; the run took 7 min\n');
  expect(text).toContain('- Some CPU, 2 cores, 24 GiB, linux x64, Node v24.1.0; load 0.3 before the run\n');
});

test('one table has all figures, a missed target in bold', () => {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.slice(0, 7)).toEqual([
    '|  | provider | plain | ratio | target |',
    '| --- | ---: | ---: | ---: | --- |',
    '| **The framework alone** (`--only framework`) |  |  |  |  |',
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

test('a target that bare requests miss as well is marked', () => {
  const late = { name: 'all', unit: 's', value: 15, plain: 13, target: 12 } as const;
  const sections = sampleReport.sections.map((section) => ({ ...section, figures: [late] })).slice(1);
  expect(renderMarkdown({ ...sampleReport, sections })).toContain(
    '- Targets missed: all (the plain program misses it as well)\n',
  );
});

test('each measurement has its command, method and notes', () => {
  expect(text).toContain(
    '### Start-up\n\n`npm run bench -- --only start-up`\n\nSeveral launches.\n\n- requests for each: 2 get a|b\n',
  );
});

test('a profile shows parts and functions with their places', () => {
  expect(text).toContain('## Where the CPU time goes\n\n### Steady reconciles\n');
  expect(text).toContain('| 75 % | internal/runtime |\n');
  expect(text).toContain('| 10 % | `schedule` | internal/runtime/controller/queue/work-queue.ts:10 |\n');
  expect(text).toContain('| 5 % | `(garbage collector)` |  |\n');
});

test('without a profile there is no section on profiles', () => {
  const sections = sampleReport.sections.map((section) => ({ ...section, profiles: [] }));
  expect(renderMarkdown({ ...sampleReport, sections })).not.toContain('Where the CPU time goes');
});

import type { Report } from './report.ts';

/** A report with one of each: a rate, a time that misses its target, a count, a note, a profile. */
export const sampleReport: Report = {
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
      name: 'framework',
      title: 'The framework alone',
      method: 'In memory.',
      figures: [{ name: 'reconciles', unit: '/s', value: 20_500, plain: 82_000, target: 5000 }],
      notes: [],
      profiles: [
        {
          title: 'Steady reconciles',
          busyMs: 4000,
          functions: [
            {
              name: 'schedule',
              place: { file: 'internal/runtime/controller/queue/work-queue.ts', line: 10 },
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
    },
  ],
};

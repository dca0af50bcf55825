import { expect, test } from '@jest/globals';
import { reconcilesIn } from './metrics.ts';

test('sums reconciles over controllers and results, and mistakes no other metric for them', () => {
  const page = [
    '# HELP controller_runtime_reconcile_total Reconciles by result.',
    '# TYPE controller_runtime_reconcile_total counter',
    'controller_runtime_reconcile_total{controller="a b",result="success"} 12',
    'controller_runtime_reconcile_total{controller="c",result="error"} 3',
    'controller_runtime_reconcile_total_seconds{controller="c"} 99',
    'controller_runtime_active_workers{controller="c"} 4',
    'controller_runtime_reconcile_panics_total{controller="c"} 1',
    'controller_runtime_terminal_reconcile_errors_total{controller="c"} 2',
  ].join('\n');

  expect(reconcilesIn(page)).toEqual({ total: 15, underWay: 4, panics: 1, terminalErrors: 2 });
});

test('a page without them counts none', () => {
  expect(reconcilesIn('not found\n')).toEqual({ total: 0, underWay: 0, panics: 0, terminalErrors: 0 });
});

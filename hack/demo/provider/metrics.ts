import { sumIn } from '../../../test/environment/metrics-page.ts';

/** Reconciles on a metrics page, the sum over controllers and results. */
export interface Reconciles {
  readonly total: number;
  /** Begun and not ended. */
  readonly underWay: number;
  /** Ended by a fault of the provider's own. */
  readonly panics: number;
  /** Ended with an error that is not retried. */
  readonly terminalErrors: number;
}

export function reconcilesIn(page: string): Reconciles {
  const sumOf = (metric: string) => sumIn(page, metric) ?? 0;
  return {
    total: sumOf('controller_runtime_reconcile_total'),
    underWay: sumOf('controller_runtime_active_workers'),
    panics: sumOf('controller_runtime_reconcile_panics_total'),
    terminalErrors: sumOf('controller_runtime_terminal_reconcile_errors_total'),
  };
}

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
  return {
    total: sumOf(page, 'controller_runtime_reconcile_total'),
    underWay: sumOf(page, 'controller_runtime_active_workers'),
    panics: sumOf(page, 'controller_runtime_reconcile_panics_total'),
    terminalErrors: sumOf(page, 'controller_runtime_terminal_reconcile_errors_total'),
  };
}

/** The sum over all labels of a metric in the Prometheus text format; 0 where the page does not have it. */
function sumOf(page: string, name: string): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

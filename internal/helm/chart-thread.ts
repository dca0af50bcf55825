/** The thread in which charts are rendered: others choose what a template costs. */
import { type ErrorKind, ProviderError } from '../base/errors/errors.ts';
import { serveJobs } from '../process/index.ts';
import type { RandomValues, RenderedDocument, RenderRequest } from './chart-renderer.ts';

export interface ChartJob {
  readonly request: RenderRequest;
  /** See `RenderOptions.recorded`. */
  readonly recorded?: RandomValues | 'unknown';
}

/** Errors lose their class on the way. */
export type ChartAnswer =
  | { readonly documents: readonly RenderedDocument[]; readonly made?: RandomValues | undefined }
  /** The chart makes random values, and those that it made before are unknown. */
  | 'random values wanted'
  | { readonly refused: { readonly message: string; readonly kind: ErrorKind } };

export const url = import.meta.url;

await serveJobs(url, async () => {
  const { documentsOf, renderChart } = await import('./render-chart.ts');
  const { RandomValuesWanted } = await import('./engine/random-functions.ts');
  return ({ request, recorded }: ChartJob): ChartAnswer => {
    try {
      const rendered = renderChart(request, recorded === undefined ? {} : { recorded });
      return { documents: documentsOf(rendered), made: rendered.made };
    } catch (error) {
      if (error instanceof RandomValuesWanted) return 'random values wanted';
      if (!(error instanceof ProviderError) || error.kind === 'bug') throw error;
      return { refused: { message: error.message, kind: error.kind } };
    }
  };
});

/** The thread in which charts are rendered: others choose what a template costs. */
import { type ErrorKind, ProviderError } from '../base/errors/errors.ts';
import { serveJobs } from '../process/index.ts';
import type { RenderedDocument, RenderRequest } from './chart-renderer.ts';

/** Errors lose their class on the way. */
export type ChartAnswer =
  | { readonly documents: readonly RenderedDocument[] }
  | { readonly refused: { readonly message: string; readonly kind: ErrorKind } };

export const url = import.meta.url;

await serveJobs(url, async () => {
  const { documentsOf, renderChart } = await import('./render-chart.ts');
  return (request: RenderRequest): ChartAnswer => {
    try {
      return { documents: documentsOf(renderChart(request)) };
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'bug') throw error;
      return { refused: { message: error.message, kind: error.kind } };
    }
  };
});

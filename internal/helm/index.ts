/** Renders Helm charts in this process, byte for byte as Helm does. */
export type {
  ChartCapabilities,
  ChartFile,
  ChartRenderer,
  RandomStore,
  RandomValue,
  RandomValues,
  RenderedDocument,
  RenderRequest,
} from './chart-renderer.ts';
export { type ChartRendererOptions, createChartRenderer } from './create-chart-renderer.ts';
export { HelmError } from './helm-error.ts';
export {
  documentsOf,
  manifestText,
  type RenderedChart,
  type RenderOptions,
  renderChart,
} from './render-chart.ts';
export { mergeValues } from './values/merge-values.ts';
export { parseSetValues } from './values/set-values.ts';

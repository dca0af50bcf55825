/** Renders Helm charts in this process, byte for byte as Helm does. */
export { RandomValuesWanted } from './engine/random-functions.ts';
export {
  documentsOf,
  manifestText,
  type RenderedChart,
  type RenderOptions,
  renderChart,
} from './render-chart.ts';
export type {
  ChartCapabilities,
  ChartFile,
  RandomStore,
  RandomValue,
  RandomValues,
  RenderedDocument,
  RenderRequest,
} from './render-request.ts';
export { CHART_LIMITS, HelmError } from './render-request.ts';
export { parseSetValues } from './values/set-values.ts';
export { mergeValues } from './values/tables.ts';

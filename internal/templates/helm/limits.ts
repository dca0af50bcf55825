import type { TemplateLimits } from '../gotemplate/index.ts';

/** Limits of one rendering of a chart, all of its templates together. */
export const CHART_LIMITS: TemplateLimits = {
  sourceBytes: 5 * 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
  memoryBytes: 1024 * 1024 * 1024,
  steps: 50_000_000,
  timeMs: 30_000,
  depth: 200,
};

/** Dashboards of Grafana: rows of panels, whose places follow from their order. */

/** Instances that the variables `job` and `instance` of the dashboard choose. */
const CHOSEN = 'job=~"$job", instance=~"$instance"';

/**
 * The series of a metric of the chosen instances.
 *
 * @param matchers more of them, e.g. `system="notes"`
 */
export const chosen = (metric: string, matchers = ''): string =>
  `${metric}{${matchers === '' ? '' : `${matchers}, `}${CHOSEN}}`;
/** Those of the chosen controllers. */
export const ofController = (metric: string): string => chosen(metric, 'controller=~"$controller"');
export const rate = (series: string): string => `rate(${series}[$__rate_interval])`;
export const sumBy = (labels: string, series: string): string => `sum by (${labels}) (${series})`;
export const maxBy = (labels: string, series: string): string => `max by (${labels}) (${series})`;
/** @param buckets of a histogram, e.g. `chosen('request_seconds_bucket')` */
export const quantile = (part: number, labels: string, buckets: string): string =>
  `histogram_quantile(${part}, ${sumBy(`${labels}, le`, rate(buckets))})`;

export interface Panel {
  readonly title: string;
  readonly help: string;
  /** Of Grafana: `short`, `s`, `ops`, `reqps`, `bytes`. */
  readonly unit: string;
  /** Expressions by the names of their series, e.g. `p95 {{controller}}`. */
  readonly series: Readonly<Record<string, string>>;
  /** One number. Default: lines over time. */
  readonly stat?: Stat;
  /** Adds the series up. */
  readonly stacked?: boolean;
}

export interface Stat {
  /** Colours from a value on. Default: the text's. */
  readonly colours?: readonly (readonly [from: number | null, colour: string])[];
  /** Shows the names of the series. */
  readonly names?: boolean;
}

export interface Row {
  readonly title: string;
  /** Panels beside each other. */
  readonly lines: readonly (readonly Panel[])[];
}

export interface DashboardOptions {
  readonly title: string;
  readonly tags: readonly string[];
  /** The metric by which the targets are known. */
  readonly buildInfo: string;
  readonly rows: readonly Row[];
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana.
const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const WIDTH = 24;

/** The dashboard without its description, which the header of a generated file is. */
export function dashboardOf({ title, tags, buildInfo, rows }: DashboardOptions): object {
  const panels: object[] = [];
  let y = 0;
  const place = (panel: object, x: number, w: number, h: number) =>
    panels.push({ id: panels.length + 1, ...panel, gridPos: { h, w, x, y } });
  for (const row of rows) {
    place({ type: 'row', title: row.title, collapsed: false, panels: [] }, 0, WIDTH, 1);
    y += 1;
    for (const line of row.lines) {
      const w = WIDTH / line.length;
      const h = line.some(({ stat }) => stat) ? 4 : 8;
      for (const [index, panel] of line.entries()) place(panelOf(panel), index * w, w, h);
      y += h;
    }
  }
  return {
    title,
    uid: title,
    tags,
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [],
    templating: { list: variables(buildInfo) },
    panels,
  };
}

function panelOf({ title, help, unit, series, stat, stacked = false }: Panel): object {
  const targets = Object.entries(series).map(([legendFormat, expr], index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource: SOURCE,
    expr,
    legendFormat,
    ...(stat === undefined ? { range: true } : { range: false, instant: true }),
  }));
  const given = { title, description: help, datasource: SOURCE, targets };
  if (stat !== undefined) {
    const { colours = [[null, 'text'] as const], names = false } = stat;
    const steps = colours.map(([value, color]) => ({ color, value }));
    return {
      type: 'stat',
      ...given,
      fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
      options: {
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        orientation: 'auto',
        textMode: names ? 'name' : 'auto',
        colorMode: 'value',
        graphMode: 'none',
        justifyMode: 'auto',
      },
    };
  }
  const custom = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: 10,
    showPoints: 'never',
    spanNulls: false,
    stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
  };
  return {
    type: 'timeseries',
    ...given,
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

function variables(buildInfo: string): object[] {
  const ofLabel = (name: string, label: string, selector: string) => {
    const definition = `label_values(${selector}, ${name})`;
    return {
      name,
      label,
      type: 'query',
      datasource: SOURCE,
      query: { query: definition, refId: name },
      definition,
      refresh: 2,
      sort: 1,
      multi: true,
      includeAll: true,
      allValue: '.+',
      current: { selected: true, text: ['All'], value: ['$__all'] },
      options: [],
      regex: '',
      hide: 0,
    };
  };
  return [
    {
      name: 'datasource',
      label: 'Data source',
      type: 'datasource',
      query: 'prometheus',
      hide: 0,
      includeAll: false,
      multi: false,
      options: [],
      regex: '',
      refresh: 1,
      current: {},
    },
    ofLabel('job', 'Job', buildInfo),
    ofLabel('instance', 'Instance', `${buildInfo}{job=~"$job"}`),
    // Other providers have metrics of the same names.
    ofLabel('controller', 'Controller', 'controller_runtime_reconcile_total{job=~"$job"}'),
  ];
}

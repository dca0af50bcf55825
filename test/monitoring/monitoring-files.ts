import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { type Demand, readExpression } from './promql.ts';

const folder = new URL('../../package/monitoring/', import.meta.url);
const read = (name: string) => readFile(new URL(name, folder), 'utf8');

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}
export interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
export interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

export const ruleFile = async (): Promise<RuleGroups> => parse(await read('prometheus-rules.yaml'));
export const ruleManifest = async (): Promise<{ kind: string; apiVersion: string; spec: RuleGroups }> =>
  parse(await read('prometheusrule.yaml'));
export const dashboard = async (): Promise<Dashboard> => JSON.parse(await read('grafana-dashboard.json'));

export const alerts = async (): Promise<Alert[]> => (await ruleFile()).groups.flatMap(({ rules }) => rules);

/** As Grafana queries Prometheus: its own variables have a value. */
export const withGrafanaVariables = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

/** The metrics that alerts and dashboard use. */
export async function demands(): Promise<(Demand & { readonly by: string })[]> {
  const { panels, templating } = await dashboard();
  const of = (by: string, expr: string) =>
    readExpression(withGrafanaVariables(expr)).demands.map((demand) => ({ ...demand, by }));
  return [
    ...(await alerts()).flatMap(({ alert, expr }) => of(alert, expr)),
    ...panels.flatMap(({ title, targets = [] }) => targets.flatMap(({ expr }) => of(title, expr))),
    ...templating.list.flatMap(({ name, definition = '' }) => {
      const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
      if (selector === undefined || label === undefined) return [];
      return of(`variable ${name}`, selector).map((demand) => ({
        ...demand,
        labels: [...demand.labels, label],
      }));
    }),
  ];
}

/** The module or program that alone has the metric; undefined: every provider has it. */
export function moduleOf({
  metric,
  values,
}: Pick<Demand, 'metric' | 'values'>):
  | 'btp'
  | 'infrastructure-manager'
  | 'mothership'
  | 'component'
  | undefined {
  if (metric.startsWith('provider_kyma_service_') || values.system === 'service-manager') return 'btp';
  if (/^reconciler_(workers|tasks)_?/.test(metric)) return 'component';
  if (metric.startsWith('reconciler_')) return 'mothership';
  const isOfRuntimes =
    metric.startsWith('infrastructure_manager_') ||
    metric === 'unexpected_stops_total' ||
    values.cluster === 'gardener';
  return isOfRuntimes ? 'infrastructure-manager' : undefined;
}

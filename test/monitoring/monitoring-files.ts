import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { type Demand, readExpression } from './promql.ts';

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

/** The files of one program. */
export interface Monitoring {
  /** e.g. `provider-notes`. */
  readonly program: string;
  readonly rules: RuleGroups;
  readonly manifest: { readonly kind: string; readonly apiVersion: string; readonly spec: RuleGroups };
  readonly dashboard: Dashboard;
}

/** @param read the text of a file in `package/monitoring` */
export async function monitoringIn(
  program: string,
  read: (name: string) => Promise<string>,
): Promise<Monitoring> {
  return {
    program,
    rules: parse(await read('prometheus-rules.yaml')),
    manifest: parse(await read('prometheusrule.yaml')),
    dashboard: JSON.parse(await read('grafana-dashboard.json')),
  };
}

const folder = new URL('../../package/monitoring/', import.meta.url);

export const ownMonitoring = (): Promise<Monitoring> =>
  monitoringIn('provider-kyma', (name) => readFile(new URL(name, folder), 'utf8'));

export const alertsOf = ({ rules }: Monitoring): Alert[] => rules.groups.flatMap((group) => group.rules);

/** As Grafana queries Prometheus: its own variables have a value. */
export const withGrafanaVariables = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

export type DemandOf = Demand & { readonly by: string };

/** The metrics that our alerts and dashboard use. */
export const demands = async (): Promise<DemandOf[]> => demandsOf(await ownMonitoring());

/** The metrics that alerts and dashboard use. */
export function demandsOf(monitoring: Monitoring): DemandOf[] {
  const { panels, templating } = monitoring.dashboard;
  const of = (by: string, expr: string) =>
    readExpression(withGrafanaVariables(expr)).demands.map((demand) => ({ ...demand, by }));
  return [
    ...alertsOf(monitoring).flatMap(({ alert, expr }) => of(alert, expr)),
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

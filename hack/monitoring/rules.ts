/** Alerting rules of Prometheus. */
import { stringify } from 'yaml';

export interface Alert {
  /** Behind the prefix of the program: `NoLeader` is `ProviderNotesNoLeader`. */
  readonly name: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** How long the expression has to be true before the alert fires. */
  readonly minutes: number;
  readonly expr: string;
  readonly summary: string;
  readonly description: string;
}

export interface RulesOptions {
  /** Of the group and of the manifest. */
  readonly name: string;
  readonly prefix: string;
  readonly alerts: readonly Alert[];
  /** Where to read on; the argument is the name with the prefix. */
  readonly runbookOf: (alert: string) => string;
}

/** The content of a rule file; `spec` of a PrometheusRule is the same. */
const groupsOf = ({ name, prefix, alerts, runbookOf }: RulesOptions) => ({
  groups: [
    {
      name,
      rules: alerts.map(({ name: own, expr, minutes, severity, summary, description }) => ({
        alert: prefix + own,
        expr,
        for: `${minutes}m`,
        labels: { severity },
        annotations: { summary, description, runbook_url: runbookOf(prefix + own) },
      })),
    },
  ],
});

const yaml = (value: object) => stringify(value, { lineWidth: 0 });

/** For a Prometheus that reads rule files. */
export const ruleFile = (options: RulesOptions): string => yaml(groupsOf(options));

/** For the Prometheus operator. */
export const ruleManifest = (options: RulesOptions): string =>
  yaml({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: options.name, labels: { 'app.kubernetes.io/name': options.name } },
    spec: groupsOf(options),
  });

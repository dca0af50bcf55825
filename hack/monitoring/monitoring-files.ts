import { buildInfoMetric } from '../../internal/framework/base/telemetry/build-info.ts';
import { dashboardOf, type Row } from './grafana.ts';
import { type Alert, ruleFile, ruleManifest } from './rules.ts';

/** Text without the header of generated files. */
export interface MonitoringFile {
  readonly path: string;
  readonly text: string;
}

export interface MonitoringOptions {
  /** e.g. `provider-notes`. */
  readonly program: string;
  readonly rows: readonly Row[];
  readonly alerts: readonly Alert[];
  /** The argument is the name of the alert. */
  readonly runbookOf: (alert: string) => string;
}

/** For Grafana and Prometheus. */
export function monitoringFiles({
  program,
  rows,
  alerts,
  runbookOf,
}: MonitoringOptions): readonly MonitoringFile[] {
  const tags = ['crossplane', program];
  const dashboard = dashboardOf({ title: program, tags, buildInfo: buildInfoMetric(program), rows });
  const rules = { name: program, prefix: alertPrefix(program), alerts, runbookOf };
  return [
    // Its first lines, with the brace, are the header.
    { path: `${FOLDER}/grafana-dashboard.json`, text: `${JSON.stringify(dashboard, null, 2).slice(2)}\n` },
    { path: `${FOLDER}/prometheus-rules.yaml`, text: ruleFile(rules) },
    { path: `${FOLDER}/prometheusrule.yaml`, text: ruleManifest(rules) },
  ];
}

const FOLDER = 'package/monitoring';
/** `ProviderNotes` for `provider-notes`. */
export const alertPrefix = (program: string): string =>
  program.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9]?)/g, (_, first: string) => first.toUpperCase());

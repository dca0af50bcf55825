/** The monitoring of an author's provider: what the framework exposes, and a page with what to do about each alert. */
import { buildInfoMetric } from '../../internal/framework/base/telemetry/build-info.ts';
import { frameworkAlerts, frameworkRows, requestAlerts } from './framework-monitoring.ts';
import { alertPrefix, type MonitoringFile, monitoringFiles } from './monitoring-files.ts';

export const ALERTS_PAGE = 'docs/alerts.md';

export interface ApiNames {
  /** e.g. `provider-notes`. */
  readonly program: string;
  /** Of the external API, for people. */
  readonly api: string;
  /** The value of the label `system` of its requests; undefined: there is no alert on them. */
  readonly system: string | undefined;
}

export function authorMonitoringFiles({ program, api, system }: ApiNames): readonly MonitoringFile[] {
  const alerts = [
    ...frameworkAlerts(program),
    ...(system === undefined ? [] : requestAlerts(program, { name: 'Api', api, system })),
  ];
  const rows = alerts.map(
    ({ name, severity, description, remedy }) =>
      `| \`${alertPrefix(program)}${name}\` | ${severity} | ${withoutValues(description)} | ${remedy} |\n`,
  );
  return [
    ...monitoringFiles({ program, rows: frameworkRows(program), alerts, runbookOf: () => ALERTS_PAGE }),
    {
      path: ALERTS_PAGE,
      text: `
# Alerts of ${program}

[package/monitoring](../package/monitoring) has a dashboard for Grafana and these alerts, as a rule file of Prometheus and as a
PrometheusRule. They count the targets with the metric \`${buildInfoMetric(program)}\`.

| alert | severity | what it means | what to do |
|---|---|---|---|
${rows.join('')}`,
    },
  ];
}

/** Values of an alert that is firing. */
const withoutValues = (text: string) => text.replaceAll(/\{\{[^}]*\}\}/g, '…');

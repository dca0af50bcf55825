/** `package/monitoring`: the monitoring of this repository's programs. */
import { frameworkAlerts, frameworkRows, lines, ofProgram, requestAlerts } from './framework-monitoring.ts';
import { chosen, maxBy, type Row, rate, sumBy } from './grafana.ts';
import { type MonitoringFile, monitoringFiles } from './monitoring-files.ts';
import type { Alert } from './rules.ts';

const PROGRAM = 'provider-kyma';

export const ownMonitoringFiles = (): readonly MonitoringFile[] =>
  monitoringFiles({
    program: PROGRAM,
    rows: [...frameworkRows(PROGRAM), ...systemRows],
    alerts: [...frameworkAlerts(PROGRAM), ...systemAlerts],
    runbookOf: (alert) => `docs/runbooks/${alert}.md`,
  });

const systemRows: readonly Row[] = [
  {
    title: 'ServiceInstances and ServiceBindings',
    lines: [
      [
        lines(
          'Objects by state',
          'short',
          'ServiceInstances and ServiceBindings by the reason of their condition Succeeded. The replica that reconciles counts them.',
          {
            '{{kind}} {{reason}}': maxBy('kind, reason', chosen('provider_kyma_service_objects')),
          },
        ),
        lines(
          'Requests to Service Manager',
          'reqps',
          'By route and HTTP status, or the reason why there was no response.',
          {
            '{{route}} {{code}}': sumBy(
              'route, code',
              rate(chosen('provider_kyma_external_calls_total', 'system="service-manager"')),
            ),
          },
        ),
      ],
    ],
  },
  {
    title: 'Runtimes',
    lines: [
      [
        lines('Runtimes by state', 'short', 'Each Runtime is counted once, in its current state.', {
          '{{state}}': `count by (state) (${chosen('infrastructure_manager_im_runtime_state')})`,
        }),
        lines(
          'GardenerClusters by reason',
          'short',
          'Each GardenerCluster is counted once, with the reason of its condition.',
          {
            '{{state}} {{reason}}': `count by (state, reason) (${chosen('infrastructure_manager_im_gardener_clusters_state')})`,
          },
        ),
        lines(
          'Next expiry of a kubeconfig',
          's',
          'Time until the kubeconfig that expires first does. Kubeconfigs are rotated at 57 % of their lifetime.',
          {
            '{{job}}': `min by (job) (${chosen('infrastructure_manager_im_kubeconfig_expiration')}) - time()`,
          },
        ),
        lines('Requests to Gardener', 'reqps', 'By HTTP status, or <error> where there was no response.', {
          '{{method}} {{code}}': sumBy(
            'method, code',
            rate(chosen('rest_client_requests_total', 'cluster="gardener"')),
          ),
        }),
      ],
    ],
  },
  {
    title: 'Kyma reconciler',
    lines: [
      [
        lines('Reconciliations by result', 'ops', 'Runs of the mothership that ended.', {
          '{{result}}': sumBy('result', rate(chosen('reconciler_reconciliations_total'))),
        }),
        lines('Clusters that wait or failed', 'short', 'Of the mothership.', {
          waiting: maxBy('job', chosen('reconciler_reconciliation_waiting_total')),
          failed: maxBy('job', chosen('reconciler_reconciliation_not_ready_total')),
        }),
        lines('Paused rollouts', 'short', 'Versions and components that fail on many clusters.', {
          '{{kind}}': maxBy('kind', chosen('reconciler_rollouts_paused')),
        }),
        lines('Busy workers', 'short', 'Of component reconcilers.', {
          '{{job}}': sumBy('job', chosen('reconciler_workers_busy')),
          '{{job}}, all': sumBy('job', chosen('reconciler_workers')),
        }),
      ],
    ],
  },
];

const own = (series: string) => ofProgram(PROGRAM, series);
const OF_RUNTIMES = '{controller=~".*infrastructuremanager.*"}';

const systemAlerts: readonly Alert[] = [
  ...requestAlerts(PROGRAM, { name: 'HanaCloud', api: 'HANA Cloud', system: 'hana-cloud' }),
  ...requestAlerts(PROGRAM, { name: 'ServiceManager', api: 'Service Manager', system: 'service-manager' }),
  {
    name: 'ServiceObjectsFailed',
    severity: 'warning',
    minutes: 30,
    expr: 'max by (job, kind, reason) (provider_kyma_service_objects{reason=~".*Failed|NotFound|Blocked"}) > 0',
    summary: '{{ $value }} objects of {{ $labels.kind }} are {{ $labels.reason }}',
    description: 'For 30 minutes at least one object has been in this state.',
  },
  {
    name: 'RuntimesFailed',
    severity: 'warning',
    minutes: 30,
    expr: `count by (job) (${own('infrastructure_manager_im_runtime_state{state="Failed"}')}) > 0`,
    summary: '{{ $value }} Runtimes are Failed',
    description:
      'For 30 minutes at least one Runtime has been in this state. Its condition that is False has the cause.',
  },
  {
    name: 'RuntimesSlow',
    severity: 'warning',
    minutes: 90,
    expr: `${maxBy('job, runtimeId, shoot', own('infrastructure_manager_im_runtime_state{state=~"Pending|Terminating"}'))} > 0`,
    summary: 'The Runtime {{ $labels.runtimeId }} (Shoot {{ $labels.shoot }}) does not come to an end',
    description:
      'It has been Pending or Terminating for 90 minutes. Gardener creates most Shoots within 15 minutes.',
  },
  {
    name: 'RuntimesStalled',
    severity: 'critical',
    minutes: 10,
    expr: `${sumBy('job, controller', own(`rate(controller_runtime_reconcile_total${OF_RUNTIMES}[10m])`))} == 0
  and on (job, controller) ${sumBy('job, controller', own(`workqueue_depth${OF_RUNTIMES}`))} > 0`,
    summary: 'No object of {{ $labels.controller }} is reconciled',
    description: 'Objects wait in the queue, and no reconcile has ended for 10 minutes.',
  },
  {
    name: 'KubeconfigExpires',
    severity: 'critical',
    minutes: 5,
    expr: `min by (job, shoot) (${own('infrastructure_manager_im_kubeconfig_expiration')}) - time() < 10800`,
    summary: 'The kubeconfig of the Shoot {{ $labels.shoot }} expires in {{ $value | humanizeDuration }}',
    description:
      'It should have been rotated at 57 % of its lifetime. Users of its Secret lose access when it expires.',
  },
  {
    name: 'MassDeletion',
    severity: 'critical',
    minutes: 0,
    expr: `${sumBy('job', own('increase(infrastructure_manager_im_mass_deletions_total[15m])'))} > 0`,
    summary: 'Many Runtimes were marked for deletion at once',
    description:
      'Within one minute more Runtimes were marked than --mass-deletion-threshold allows. Their clusters are being deleted.',
  },
  {
    name: 'ConfigurationInvalid',
    severity: 'warning',
    minutes: 5,
    expr: `${maxBy('job', own('infrastructure_manager_im_configuration_invalid'))} > 0`,
    summary: 'A configuration file of the infrastructure manager has a mistake',
    description: 'The configuration before is in use. A restart would fail.',
  },
  {
    name: 'ReconciliationsFail',
    severity: 'warning',
    minutes: 15,
    expr: `${sumBy('job', own('rate(reconciler_reconciliations_total{result=~"ready|deleted"}[1h])'))}
  / ${sumBy('job', own('rate(reconciler_reconciliations_total[1h])'))} < 0.95`,
    summary: 'Only {{ $value | humanizePercentage }} of the reconciliations of Kyma clusters succeed',
    description: 'Less than 95 % of the runs of the mothership within an hour ended with ready or deleted.',
  },
  {
    name: 'RolloutPaused',
    severity: 'warning',
    minutes: 0,
    expr: `${maxBy('job, kind', own('reconciler_rollouts_paused'))} > 0`,
    summary: 'Rollouts of the Kyma reconciler are paused: {{ $value }} of kind {{ $labels.kind }}',
    description:
      'A version of Kyma or a component fails on many clusters. Periodic runs and upgrades of ready clusters wait until an operator resumes it.',
  },
  {
    name: 'ComponentReconcilersBusy',
    severity: 'warning',
    minutes: 30,
    expr: `${sumBy('job', own('reconciler_workers_busy'))}
  / ${sumBy('job', own('reconciler_workers'))} > 0.95`,
    summary: '{{ $value | humanizePercentage }} of the workers of {{ $labels.job }} are busy',
    description:
      'Tasks of the mothership are refused with 429 and sent again later, so that reconciliations take longer.',
  },
];

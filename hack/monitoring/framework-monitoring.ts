/**
 * What every program on the framework is monitored by, those of authors too: panels and alerts for metrics that the framework
 * exposes. Each alert counts targets of the program alone: other providers have metrics of the same names.
 */
import { buildInfoMetric } from '../../internal/framework/base/telemetry/build-info.ts';
import { chosen, maxBy, ofController, type Panel, quantile, type Row, rate, sumBy } from './grafana.ts';
import type { Alert } from './rules.ts';

const RESOURCE = 'crossplane_managed_resource';
const RECONCILE = 'controller_runtime_reconcile';
const CALLS = 'provider_kyma_external_calls_total';
const CALL_SECONDS = 'provider_kyma_external_call_duration_seconds_bucket';

/** Resources without the condition `ready` or `synced`, by kind. */
const without = (condition: string) =>
  `${maxBy('gvk', chosen(`${RESOURCE}_exists`))} - ${maxBy('gvk', chosen(`${RESOURCE}_${condition}`))}`;
const red = { colours: [[null, 'green'] as const, [1, 'red'] as const] };

/** @param program e.g. `provider-notes` */
export const frameworkRows = (program: string): readonly Row[] => [
  {
    title: 'Resources',
    lines: [
      [
        number(
          'Total',
          'Managed resources of all kinds: the maximum over replicas, as each one counts all.',
          `sum(${maxBy('gvk', chosen(`${RESOURCE}_exists`))})`,
        ),
        number('Not ready', 'Resources whose Ready condition is not True.', `sum(${without('ready')})`, red),
        number(
          'Not synced',
          'Resources whose Synced condition is not True: they wait, or their last reconcile failed.',
          `sum(${without('synced')})`,
          red,
        ),
        number(
          'Leaders',
          '1 if a replica holds the Lease. No data without leader election.',
          `max(max_over_time(${chosen('leader_election_master_status')}[1m]))`,
          {
            colours: [
              [null, 'red'],
              [1, 'green'],
            ],
          },
        ),
        number(
          'Missing CRDs',
          'Controllers whose CRD is not installed.',
          `count(min by (controller) (${chosen('controller_kind_available')}) == 0) or vector(0)`,
        ),
        {
          title: 'Versions',
          help: 'Versions in use, with the commits of their sources if the build was given them.',
          unit: 'short',
          stat: { names: true },
          series: {
            '{{version}} {{revision}}': `count by (version, revision) (${chosen(buildInfoMetric(program))})`,
          },
        },
      ],
      [
        lines('Not ready, by kind', 'short', 'Total minus ready.', { '{{gvk}}': without('ready') }),
        lines('Not synced, by kind', 'short', 'Total minus synced.', { '{{gvk}}': without('synced') }),
        lines(
          'Time to readiness',
          's',
          'From the creation of a resource until it is ready for the first time: median and 95th percentile.',
          {
            'p50 {{gvk}}': quantile(0.5, 'gvk', chosen(`${RESOURCE}_first_time_to_readiness_seconds_bucket`)),
            'p95 {{gvk}}': quantile(
              0.95,
              'gvk',
              chosen(`${RESOURCE}_first_time_to_readiness_seconds_bucket`),
            ),
          },
        ),
      ],
      [
        lines(
          'Time to first reconcile',
          's',
          'From the creation of a resource until its first reconcile: 95th percentile.',
          {
            '{{gvk}}': quantile(0.95, 'gvk', chosen(`${RESOURCE}_first_time_to_reconcile_seconds_bucket`)),
          },
        ),
        lines(
          'Deletion',
          's',
          'From the deletion of a resource until its finalizer is removed: 95th percentile.',
          {
            '{{gvk}}': quantile(0.95, 'gvk', chosen(`${RESOURCE}_deletion_seconds_bucket`)),
          },
        ),
        lines('Drift corrected', 'short', 'Corrected differences per minute.', {
          '{{gvk}}': `60 * ${sumBy('gvk', rate(chosen(`${RESOURCE}_drift_seconds_count`)))}`,
        }),
      ],
    ],
  },
  {
    title: 'Reconciles',
    lines: [
      [
        stacked(
          'Reconciles by result',
          'ops',
          'Per second. requeue: retried with backoff. requeue_after: the next poll. error: the status could not be stored.',
          {
            '{{result}}': sumBy('result', rate(ofController(`${RECONCILE}_total`))),
          },
        ),
        lines(
          'Failed reconciles',
          'ops',
          'Per second. Panics are programming errors of the provider; terminal errors are not retried.',
          {
            'errors {{controller}}': perController(`${RECONCILE}_errors_total`),
            'terminal {{controller}}': perController('controller_runtime_terminal_reconcile_errors_total'),
            'timeouts {{controller}}': perController(`${RECONCILE}_timeouts_total`),
            'panics {{controller}}': perController(`${RECONCILE}_panics_total`),
          },
        ),
        lines('Duration of reconciles', 's', 'Median and 95th percentile.', {
          'p50 {{controller}}': quantile(0.5, 'controller', ofController(`${RECONCILE}_time_seconds_bucket`)),
          'p95 {{controller}}': quantile(
            0.95,
            'controller',
            ofController(`${RECONCILE}_time_seconds_bucket`),
          ),
        }),
      ],
      [
        lines(
          'Workers',
          'short',
          'Active workers, all workers, and resources that wait for a slot of their cluster or host.',
          {
            'active {{controller}}': sumBy('controller', ofController('controller_runtime_active_workers')),
            'of {{controller}}': maxBy(
              'controller',
              ofController('controller_runtime_max_concurrent_reconciles'),
            ),
            'waiting {{controller}}': sumBy(
              'controller',
              ofController('controller_requests_waiting_for_slot'),
            ),
          },
        ),
        lines('Queue', 'short', 'Resources that wait for a worker.', {
          '{{controller}}': sumBy('controller', ofController('workqueue_depth')),
        }),
        lines('Time in the queue', 's', '95th percentile.', {
          '{{controller}}': quantile(
            0.95,
            'controller',
            ofController('workqueue_queue_duration_seconds_bucket'),
          ),
        }),
      ],
      [
        lines('Added and retried', 'ops', 'Keys per second.', {
          'added {{controller}}': perController('workqueue_adds_total'),
          'retried {{controller}}': perController('workqueue_retries_total'),
        }),
        lines('Work duration', 's', '95th percentile of the time that a worker needs for a key.', {
          '{{controller}}': quantile(
            0.95,
            'controller',
            ofController('workqueue_work_duration_seconds_bucket'),
          ),
        }),
        lines('Longest running', 's', 'The longest work in progress, and the sum of all work in progress.', {
          'longest {{controller}}': maxBy(
            'controller',
            ofController('workqueue_longest_running_processor_seconds'),
          ),
          'all {{controller}}': sumBy('controller', ofController('workqueue_unfinished_work_seconds')),
        }),
      ],
    ],
  },
  {
    title: 'External APIs',
    lines: [
      [
        stacked(
          'Requests by response',
          'ops',
          'Per second, by HTTP status or by the reason why there was no response.',
          { '{{code}}': sumBy('code', rate(chosen(CALLS))) },
        ),
        lines('Requests by route', 'ops', 'Per second.', {
          '{{route}}': sumBy('route', rate(chosen(CALLS))),
        }),
        lines('Duration of requests', 's', '95th percentile.', {
          '{{route}}': quantile(0.95, 'route', chosen(CALL_SECONDS)),
        }),
      ],
      [
        lines(
          'Refused credentials',
          'ops',
          '401 and 403, per second: credentials that are wrong, have expired or lack a right.',
          {
            '{{system}} {{route}} {{code}}': sumBy(
              'system, route, code',
              rate(chosen(CALLS, 'code=~"401|403"')),
            ),
          },
        ),
        lines('Requests in progress', 'short', 'Calls in flight.', {
          '{{system}}': sumBy('system', chosen('provider_kyma_external_calls_in_flight')),
        }),
      ],
    ],
  },
  {
    title: 'Kubernetes',
    lines: [
      [
        stacked('API server requests by response', 'ops', 'To all API servers, per second.', {
          '{{code}}': sumBy('code', rate(chosen('rest_client_requests_total'))),
        }),
        lines(
          'API server requests by host',
          'ops',
          'Per second. remote: all clusters of kubeconfig Secrets.',
          {
            '{{method}} {{host}}': sumBy('host, method', rate(chosen('rest_client_requests_total'))),
          },
        ),
        lines('Failed watches and dropped events', 'ops', 'Per second.', {
          'watch {{resource}} ({{cluster}})': sumBy(
            'cluster, resource',
            rate(chosen('kube_informer_failures_total')),
          ),
          'event {{why}} ({{cluster}})': sumBy('cluster, why', rate(chosen('events_dropped_total'))),
        }),
      ],
    ],
  },
  {
    title: 'Process',
    lines: [
      [
        lines('Memory', 'bytes', 'Resident memory, and the used heap of Node.js.', {
          'resident {{instance}}': chosen('process_resident_memory_bytes'),
          'heap {{instance}}': chosen('nodejs_heap_size_used_bytes'),
        }),
        lines('CPU', 'short', 'Cores.', { '{{instance}}': rate(chosen('process_cpu_seconds_total')) }),
        lines('Event loop lag', 's', '99th percentile.', {
          '{{instance}}': chosen('nodejs_eventloop_lag_p99_seconds'),
        }),
        lines('Start time', 's', 'Time since the start of the process.', {
          '{{instance}}': `time() - ${chosen('process_start_time_seconds')}`,
        }),
      ],
    ],
  },
];

/** Keeps the series of the targets of a program. */
export const ofProgram = (program: string, series: string): string =>
  `${series} and on (job, instance) ${buildInfoMetric(program)}`;

/** What to do about an alert, in a sentence or two. */
export interface AlertWithRemedy extends Alert {
  readonly remedy: string;
}

/** @param program e.g. `provider-notes` */
export function frameworkAlerts(program: string): readonly AlertWithRemedy[] {
  const own = (series: string) => ofProgram(program, series);
  const increase = (labels: string, counter: string) => sumBy(labels, own(`increase(${counter}[1h])`));
  const rateOf = (labels: string, counter: string, window = '10m') =>
    sumBy(labels, own(`rate(${counter}[${window}])`));
  const lacking = (condition: string) => `${maxBy('job, gvk', own(`${RESOURCE}_exists`))}
  - ${maxBy('job, gvk', own(`${RESOURCE}_${condition}`))} > 0`;
  return [
    {
      name: 'Absent',
      severity: 'critical',
      minutes: 10,
      expr: `absent(${buildInfoMetric(program)})`,
      summary: `${program} is not scraped`,
      description: `No ${program} target has been up for 10 minutes. Resources are not reconciled.`,
      remedy: 'See whether the pod runs and is ready, and whether Prometheus scrapes its port for metrics.',
    },
    {
      name: 'NoLeader',
      severity: 'critical',
      minutes: 5,
      expr: `${maxBy('job', own('leader_election_master_status'))} == 0`,
      summary: 'No replica of {{ $labels.job }} is the leader',
      description: 'Replicas run, but none holds the Lease. Resources are not reconciled.',
      remedy: 'See who holds the Lease, and whether the provider may write Leases in its namespace.',
    },
    {
      name: 'Restarting',
      severity: 'warning',
      minutes: 0,
      expr: own('changes(process_start_time_seconds[1h]) > 3'),
      summary: '{{ $labels.instance }} restarts repeatedly',
      description: 'It started {{ $value }} times within one hour.',
      remedy:
        'Read the last lines of the log before the restart, and the reason of the last termination of the pod.',
    },
    {
      name: 'NotReady',
      severity: 'warning',
      minutes: 30,
      expr: lacking('ready'),
      summary: '{{ $value }} resources of {{ $labels.gvk }} are not ready',
      description:
        'For 30 minutes at least one resource has not been Ready. Ready states whether the external resource can be used.',
      remedy: 'Read the condition Ready of the resources.',
    },
    {
      name: 'NotSynced',
      severity: 'warning',
      minutes: 30,
      expr: lacking('synced'),
      summary: '{{ $value }} resources of {{ $labels.gvk }} are not synced',
      description: 'For 30 minutes at least one resource has been waiting or failing to reconcile.',
      remedy:
        'Read the condition Synced of the resources: it names what is missing, or what the API refuses.',
    },
    {
      name: 'ReconcileErrors',
      severity: 'warning',
      minutes: 15,
      expr: `${rateOf('job, controller', `${RECONCILE}_errors_total`, '5m')} > 0`,
      summary: 'Reconciles of {{ $labels.controller }} fail',
      description:
        'The errors could not be stored in the status of the resource, because the write to the API server failed.',
      remedy: 'Read the log, and see whether the provider may write the status of the kind.',
    },
    {
      name: 'Panics',
      severity: 'warning',
      minutes: 0,
      expr: `${increase('job, controller', `${RECONCILE}_panics_total`)} > 0`,
      summary: '{{ $labels.controller }} has a programming error',
      description:
        'A reconcile ended with an unexpected error. It is retried; the log contains the stack trace.',
      remedy: 'Report it with the stack trace in the log and the version of the program.',
    },
    {
      name: 'ReconcileTimeouts',
      severity: 'warning',
      minutes: 15,
      expr: `${rateOf('job, controller', `${RECONCILE}_timeouts_total`, '5m')} > 0`,
      summary: 'Reconciles of {{ $labels.controller }} exceed their deadline',
      description: 'An external API, another cluster or the API server does not respond.',
      remedy: 'See which requests are slow on the dashboard, and whether the network policies let them pass.',
    },
    {
      name: 'QueueSlow',
      severity: 'warning',
      minutes: 15,
      expr: `histogram_quantile(0.95, ${rateOf('job, controller, le', 'workqueue_queue_duration_seconds_bucket')}) > 30`,
      summary: 'Resources of {{ $labels.controller }} wait for a worker',
      description: 'The 95th percentile of the time in the queue is {{ $value | humanizeDuration }}.',
      remedy:
        'Reconciles are slow or many: see their duration, and set more workers or a longer poll interval.',
    },
    {
      name: 'ExternalApiSlow',
      severity: 'warning',
      minutes: 15,
      expr: own('min_over_time(controller_requests_waiting_for_slot[10m]) > 0'),
      summary: 'Resources of {{ $labels.controller }} wait for one slow cluster or API',
      description:
        'One cluster or host of an external API uses all workers that it may have; at least {{ $value }} resources wait for it. Other resources are not affected.',
      remedy:
        'See the duration of requests on the dashboard. The resources go on when the API responds faster.',
    },
    {
      name: 'CredentialsRefused',
      severity: 'warning',
      minutes: 15,
      expr: `${rateOf('job, system, route, code', `${CALLS}{code=~"401|403"}`)} > 0`,
      summary: '{{ $labels.system }} refuses credentials: {{ $labels.code }} for {{ $labels.route }}',
      description: 'Credentials of a Secret are wrong, have expired, or lack a right in the external API.',
      remedy:
        'The condition Synced of the resources that fail names the Secret. Replace its credentials; resources go on at once.',
    },
    {
      name: 'Forbidden',
      severity: 'warning',
      minutes: 15,
      expr: `${rateOf('job, cluster, host, method', 'rest_client_requests_total{code="403"}')} > 0`,
      summary:
        'The API server of cluster {{ $labels.cluster }} ({{ $labels.host }}) forbids {{ $labels.method }}',
      description: 'The ServiceAccount of the provider, or the user of a kubeconfig, lacks a permission.',
      remedy: 'The log names the request. Grant the right by a ClusterRole.',
    },
    {
      name: 'ApiServerErrors',
      severity: 'warning',
      minutes: 15,
      expr: `${rateOf('job, cluster, host', 'rest_client_requests_total{code=~"5..|<error>"}')}
  / ${rateOf('job, cluster, host', 'rest_client_requests_total')} > 0.1`,
      summary:
        '{{ $value | humanizePercentage }} of the requests to the API servers of cluster {{ $labels.cluster }} ({{ $labels.host }}) fail',
      description: 'They receive a 5xx response or none.',
      remedy: 'See whether the API server is healthy, and whether the provider reaches it.',
    },
    {
      name: 'WatchesFail',
      severity: 'warning',
      minutes: 15,
      expr: `${rateOf('job, cluster, resource', 'kube_informer_failures_total')} > 0.02`,
      summary: 'The watch of {{ $labels.resource }} (cluster {{ $labels.cluster }}) fails repeatedly',
      description:
        'Lists or watches of an API server fail more than once a minute. Changes may be observed late.',
      remedy: 'The log has the cause: a right that is missing, or an API server that ends watches.',
    },
    {
      name: 'KindMissing',
      severity: 'info',
      minutes: 30,
      expr: `${maxBy('job, controller', own('controller_kind_available'))} == 0`,
      summary: '{{ $labels.controller }} waits for its CRD',
      description: 'The CRD of its kind is not installed. This is normal if the kind is not used.',
      remedy: 'Install or activate the CRD, or silence the alert for the kind.',
    },
    {
      name: 'EventsDropped',
      severity: 'info',
      minutes: 0,
      expr: `${increase('job, cluster, why', 'events_dropped_total')} > 0`,
      summary: 'Events were dropped (cluster {{ $labels.cluster }}): {{ $labels.why }}',
      description: 'Conditions are not affected; only Kubernetes events are lost.',
      remedy: 'Nothing, unless it goes on: then see whether the provider may create events.',
    },
    {
      name: 'EventLoopSlow',
      severity: 'warning',
      minutes: 15,
      expr: own('nodejs_eventloop_lag_p99_seconds > 0.5'),
      summary: '{{ $labels.instance }} is overloaded',
      description:
        'The event loop lag is {{ $value | humanizeDuration }}. Probes and the renewal of the Lease may time out.',
      remedy: 'Give the pod more CPU, or reconcile less often.',
    },
  ];
}

/**
 * Alerts on requests of a program to one external API.
 *
 * @param of `name` begins the names of the alerts, e.g. `HanaCloud`; `api` is for people; `system` is the value of the label
 */
export function requestAlerts(
  program: string,
  of: { readonly name: string; readonly api: string; readonly system: string },
): readonly AlertWithRemedy[] {
  const { name, api, system } = of;
  // Throttled is not failed, and what is gone or exists already is a normal answer.
  const fails = `${CALLS}{system="${system}", code!~"2..|404|409|410|429"}`;
  const by = (series: string) => sumBy('job, route', ofProgram(program, `rate(${series}[10m])`));
  return [
    {
      name: `${name}Errors`,
      severity: 'warning',
      minutes: 15,
      expr: `${by(fails)}
  / ${by(`${CALLS}{system="${system}"}`)} > 0.2`,
      summary: `{{ $value | humanizePercentage }} of the ${api} requests {{ $labels.route }} fail`,
      description: 'Requests are refused, or receive no response or an invalid one.',
      remedy:
        'The condition Synced of the resources has the answer of the API; the dashboard has the codes by route.',
    },
    {
      name: `${name}Throttles`,
      severity: 'info',
      minutes: 30,
      expr: `${by(`${CALLS}{system="${system}", code="429"}`)} > 0`,
      summary: `${api} throttles {{ $labels.route }}`,
      description:
        'It has responded with 429 for 30 minutes. The provider waits as long as Retry-After says; resources take longer.',
      remedy: 'Poll less often, or ask the owner of the API for a higher limit.',
    },
  ];
}

export function lines(title: string, unit: string, help: string, series: Panel['series']): Panel {
  return { title, help, unit, series };
}

function stacked(title: string, unit: string, help: string, series: Panel['series']): Panel {
  return { title, help, unit, series, stacked: true };
}

function number(title: string, help: string, expr: string, stat: Panel['stat'] = {}): Panel {
  return { title, help, unit: 'short', stat, series: { '': expr } };
}

function perController(counter: string): string {
  return sumBy('controller', rate(ofController(counter)));
}

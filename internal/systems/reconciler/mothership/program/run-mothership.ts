/** A mothership as a program: database, parts, servers and metrics, run by the manager until it is stopped. */
import { hostname } from 'node:os';
import type { Deps } from '../../../../framework/base/deps.ts';
import { InvalidConfigurationError } from '../../../../framework/base/errors/errors.ts';
import { systemRandom } from '../../../../framework/base/random.ts';
import type { Logger } from '../../../../framework/base/telemetry/logger.ts';
import { nopTracer } from '../../../../framework/base/telemetry/tracer.ts';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import { parseDuration } from '../../../../framework/base/time/duration.ts';
import { createKubeClient, type RestClient } from '../../../../framework/kube/client/rest-client.ts';
import { inClusterConfig } from '../../../../framework/kube/config/in-cluster-config.ts';
import { kubeconfigFile } from '../../../../framework/kube/config/kubeconfig-file.ts';
import { createManager } from '../../../../framework/process/manager/manager.ts';
import { createPrometheusMetrics } from '../../../../framework/process/telemetry/prometheus.ts';
import { isFeatureOn } from '../../operations/features.ts';
import { type AuditLog, createAuditLog } from '../api/audit/audit-log.ts';
import { createLineFile } from '../api/audit/line-file.ts';
import { createChangeFeed } from '../api/events/change-feed.ts';
import { createListener } from '../api/http/create-listener.ts';
import { clusterDetailsRoute } from '../api/routes/cluster-details.ts';
import { clusterRoutes } from '../api/routes/cluster-routes.ts';
import { componentRoutes } from '../api/routes/component-routes.ts';
import { eventRoute, overviewRoutes } from '../api/routes/overview-routes.ts';
import { probePages } from '../api/routes/probe-pages.ts';
import { reconciliationRoutes } from '../api/routes/reconciliation-routes.ts';
import { rolloutRoutes } from '../api/routes/rollout-routes.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { MothershipFlags } from '../config/start-flags.ts';
import { createMothership } from '../create-mothership.ts';
import { createClusterAccess } from '../kubeconfigs/cluster-access.ts';
import { currentKubeconfig } from '../kubeconfigs/current-kubeconfig.ts';
import { createKubeconfigCheck } from '../kubeconfigs/kubeconfig-check.ts';
import { createMigrationCheck } from '../kubeconfigs/migrated-components.ts';
import { registeredKubeconfig } from '../kubeconfigs/registered-kubeconfig.ts';
import { createSecretKubeconfigs } from '../kubeconfigs/secret-kubeconfigs.ts';
import { createObserver } from '../metrics/create-observer.ts';
import { withDatabaseMetrics } from '../metrics/database-metrics.ts';
import { createOccupancyTracker } from '../metrics/occupancy-tracker.ts';
import { assertPortFree, createApiServer } from './api-server.ts';
import { openComponentAccess } from './component-access.ts';
import { createKeyGate } from './key-gate.ts';
import { openAccess } from './open-access.ts';
import { openDatabase, openKeyring } from './open-database.ts';
import { schedulerSettings } from './scheduler-settings.ts';

export interface RunMothershipOptions {
  readonly flags: MothershipFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** For `provider_kyma_build_info`. */
  readonly version: string;
  /** The folder with the page for operators. Default: the one of this code, where the build writes it. */
  readonly pageFolder?: string;
}

/** Requests at shorter intervals are a burst, in ms. */
const RECENT_REQUEST_MS = 100;

/** Runs until `signal` is aborted, then ends calls in progress and resolves. */
export async function runMothership(options: RunMothershipOptions, signal: AbortSignal): Promise<void> {
  const { flags, env, log } = options;
  assertFlags(flags);
  const settings = await loadSettings(flags, env);
  await assertPortFree(flags);
  await using resources = new AsyncDisposableStack();
  const base = { clock: systemClock, random: systemRandom, tracer: nopTracer };
  // That of an embedded database is made with it.
  const creates = flags.createEncryptionKey || settings.database.kind === 'embedded';
  const keyring = await openKeyring(settings.database, { ...base, log, creates });
  const database = await openDatabase({
    ...base,
    log: log.child({ caller: 'database' }),
    settings: settings.database,
    migrates: flags.migrateDatabase || flags.stopAfterMigrate,
  });
  resources.defer(() => database.close());
  if (flags.stopAfterMigrate) return;
  const keys = await createKeyGate({ ...base, log, store: database, keyring });

  const page = createPrometheusMetrics({ processMetrics: true });
  page
    .gauge({
      name: 'provider_kyma_build_info',
      help: 'Always 1; the version is a label.',
      labels: ['version'],
    })
    .set(1, { version: options.version });
  const deps: Deps = { ...base, log, metrics: page };
  const client = await openControlPlane(options, deps);
  if (client !== undefined) resources.defer(() => client.close());
  const kubeconfigs =
    client && createSecretKubeconfigs({ ...deps, client, ...cacheTtl(env.KUBECONFIG_CACHE_TTL) });
  const access = createClusterAccess({ ...deps, env, allowPrivateEndpoints: flags.allowPrivateEndpoints });
  const isMigrated = createMigrationCheck({
    access,
    log,
    crds: settings.scheduler.componentCrds,
    kubeconfigOf: async (runtimeId, within) => {
      const registered = await registeredKubeconfig({ store: database, keyring }, runtimeId);
      return registered && currentKubeconfig({ ...registered, runtimeId, kubeconfigs, log }, within);
    },
  });

  const schedulerOptions = schedulerSettings({ flags, env, file: settings, isMigrated });
  const occupancyTracked = isFeatureOn(env, 'WORKERPOOL_OCCUPANCY_TRACKING_ENABLED');
  const running = { count: 0 };
  let requestedAt = Number.NEGATIVE_INFINITY;
  const observer = createObserver({
    metrics: page,
    durations: isFeatureOn(env, 'PROCESSING_DURATION_METRICS_ENABLED'),
  });
  const componentAccess = await openComponentAccess(flags, deps);
  const mothership = createMothership({
    ...deps,
    log: log.child({ caller: 'scheduling' }),
    database,
    keyring,
    settings: schedulerOptions,
    componentAccess,
    hasRequests: () => deps.clock.monotonic() - requestedAt < RECENT_REQUEST_MS,
    ...(kubeconfigs === undefined ? {} : { kubeconfigs }),
    observers: [
      observer,
      {
        workersChanged: (count) => {
          running.count = count;
        },
      },
    ],
  });
  const metricsPage = withDatabaseMetrics({ ...deps, ...mothership, database, occupancyTracked, page });

  const { login, site, close } = await openAccess(options, { ...deps, baseUrl: settings.baseUrl });
  resources.defer(close);
  const audit = createAudit(flags);
  if (audit !== undefined) resources.defer(() => audit.close());
  const stopping = new AbortController();
  const apiLog = log.child({ caller: 'api' });
  const server = createApiServer({
    ...deps,
    flags,
    log: apiLog,
    createListener: (abort) =>
      createListener({
        log: apiLog,
        onRequest: () => {
          requestedAt = deps.clock.monotonic();
        },
        login,
        site,
        audit: audit?.log,
        needsCertificate: flags.clientCaFile !== '',
        signal: abort,
        pages: probePages({
          database,
          clock: deps.clock,
          metrics: metricsPage,
          problem: keys.problem,
          isStopping: () => signal.aborted || stopping.signal.aborted,
        }),
        routes: [
          ...clusterRoutes({
            ...mothership,
            baseUrl: settings.baseUrl,
            kubeconfigs: createKubeconfigCheck({ ...deps, access, secrets: kubeconfigs }),
          }),
          ...componentRoutes({ ...mothership, log: apiLog }),
          ...reconciliationRoutes({
            ...mothership,
            allowsDebug: isFeatureOn(env, 'DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS'),
          }),
          ...rolloutRoutes(mothership),
          ...overviewRoutes({ ...deps, ...mothership }),
          eventRoute(
            createChangeFeed({ ...deps, log: apiLog, state: () => mothership.overview.state(), signal }),
          ),
          clusterDetailsRoute({ ...deps, ...mothership }),
        ],
      }),
  });

  const manager = createManager({ ...deps, metrics: metricsPage, metricsAddress: '0', healthAddress: '0' });
  // Stopped last: results arrive while the parts behind it end.
  manager.add(server);
  if (occupancyTracked) {
    manager.add(
      createOccupancyTracker({
        ...deps,
        occupancy: mothership.occupancy,
        poolId: hostname(),
        poolSize: schedulerOptions.workers,
        running: () => running.count,
      }),
    );
  }
  for (const runnable of mothership.runnables) manager.add(keys.behind(runnable));
  try {
    await manager.run(signal);
  } finally {
    stopping.abort();
  }
}

function assertFlags(flags: MothershipFlags): void {
  if (flags.auditLog && (flags.auditLogFile === '' || flags.auditLogTenantId === '')) {
    throw new InvalidConfigurationError(
      'cannot write the audit log: --audit-log needs --audit-log-file and --audit-log-tenant-id',
    );
  }
  if (flags.oidcIssuerUrl === '') return;
  if (flags.oidcClientId === '') {
    throw new InvalidConfigurationError('cannot check logins: --oidc-issuer-url needs --oidc-client-id');
  }
  if (!flags.login) {
    throw new InvalidConfigurationError(
      'cannot use --no-login and --oidc-issuer-url together: give one of them',
    );
  }
  const url = URL.parse(flags.oidcIssuerUrl);
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal)) {
    throw new InvalidConfigurationError('cannot use --oidc-issuer-url: want a URL with https');
  }
}

/** The cluster that has the Secrets with kubeconfigs: that of `--kubeconfig`, or that of the pod. */
async function openControlPlane(
  { flags, env }: RunMothershipOptions,
  deps: Deps,
): Promise<RestClient | undefined> {
  const config =
    flags.kubeconfig === ''
      ? await inClusterConfig({ clock: deps.clock, env })
      : await kubeconfigFile(deps.clock, flags.kubeconfig, undefined);
  return config && createKubeClient({ ...deps, config, clusterName: 'the control plane' });
}

function cacheTtl(text: string | undefined): { ttlMs?: number } {
  if (!text) return {};
  const ttlMs = parseDuration(text) ?? Number.NaN;
  if (ttlMs >= 0) return { ttlMs };
  throw new InvalidConfigurationError('cannot use KUBECONFIG_CACHE_TTL: want a duration such as 30m');
}

function createAudit(flags: MothershipFlags): { readonly log: AuditLog; close(): Promise<void> } | undefined {
  if (!flags.auditLog) return undefined;
  const file = createLineFile({ path: flags.auditLogFile, clock: systemClock });
  const log = createAuditLog({ clock: systemClock, file, tenant: flags.auditLogTenantId });
  return { log, close: file.close };
}

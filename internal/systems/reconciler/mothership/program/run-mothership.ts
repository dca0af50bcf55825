/** A mothership as a program: database, parts, servers and metrics, run by the manager until it is stopped. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import {
  type Deps,
  InvalidConfigurationError,
  type Logger,
  messageOf,
  nopTracer,
  parseDuration,
  reportBuildInfo,
  sleep,
  systemClock,
  systemRandom,
} from '../../../../framework/base/index.ts';
import { trimTrailing } from '../../../../framework/base/text/text.ts';
import { inClusterConfig } from '../../../../framework/kube/config/cluster-config.ts';
import { kubeconfigFile } from '../../../../framework/kube/config/kubeconfig-file.ts';
import { createKubeClient, type RestClient } from '../../../../framework/kube/index.ts';
import {
  createManager,
  createPrometheusMetrics,
  type Runnable,
} from '../../../../framework/process/index.ts';
import {
  openClientCertificate,
  openTrustedCertificates,
} from '../../../../framework/process/server/server-tls.ts';
import { isFeatureOn } from '../../operations/operation.ts';
import { type AuditLog, createAuditLog, createLineFile } from '../api/audit-log.ts';
import { createChangeFeed } from '../api/change-feed.ts';
import { createListener, type Site } from '../api/create-listener.ts';
import { type Login, openIssuer, openLogin } from '../api/login/login.ts';
import { clusterDetailsRoute, clusterRoutes } from '../api/routes/cluster-routes.ts';
import { componentRoutes } from '../api/routes/component-routes.ts';
import { eventRoute, overviewRoutes, rolloutRoutes } from '../api/routes/overview-routes.ts';
import { reconciliationRoutes } from '../api/routes/reconciliation-routes.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { MothershipFlags } from '../config/start-flags.ts';
import { createMothership } from '../create-mothership.ts';
import type { Store } from '../database/database.ts';
import { KEY_FILE_INTERVAL_MS } from '../encryption/key-file.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { keysInUse, missingKeys } from '../encryption/reencrypt.ts';
import {
  createClusterAccess,
  currentKubeconfig,
  registeredKubeconfig,
} from '../kubeconfigs/cluster-access.ts';
import { createKubeconfigCheck } from '../kubeconfigs/kubeconfig-check.ts';
import { createMigrationCheck } from '../kubeconfigs/migrated-components.ts';
import { createSecretKubeconfigs } from '../kubeconfigs/secret-kubeconfigs.ts';
import { createObserver, createOccupancyTracker, withDatabaseMetrics } from '../metrics.ts';
import type { ComponentAccess } from '../model/mothership.ts';
import { sessionAuthorization } from '../page/page-cookie.ts';
import { createPageSite, readPageFiles } from '../page/page-site.ts';
import { assertPortFree, createApiServer, probePages } from './api-server.ts';
import { openDatabase, openKeyring } from './open-database.ts';
import { schedulerSettings } from './scheduler-settings.ts';

export interface RunMothershipOptions {
  readonly flags: MothershipFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
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
  reportBuildInfo(page, 'provider-kyma');
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
          clusterDetailsRoute({
            ...deps,
            ...mothership,
            links: { runtime: flags.runtimeLink, shoot: flags.shootLink },
          }),
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

/** How component reconcilers are called. @throws InvalidConfigurationError if a file cannot be used */
async function openComponentAccess(
  flags: Pick<
    MothershipFlags,
    'componentTokenFile' | 'componentClientCrt' | 'componentClientKey' | 'componentCaFile'
  >,
  deps: Pick<Deps, 'clock' | 'log'>,
): Promise<ComponentAccess> {
  const { componentTokenFile, componentClientCrt, componentClientKey, componentCaFile } = flags;
  const token = async () => (componentTokenFile === '' ? undefined : await readToken(componentTokenFile));
  await token();
  return {
    token,
    identity: await openClientCertificate({
      ...deps,
      files: { certificate: componentClientCrt, key: componentClientKey },
      flags: { certificate: '--component-client-crt', key: '--component-client-key' },
    }),
    trustedCertificates: await openTrustedCertificates({
      ...{ ...deps, file: componentCaFile, flag: '--component-ca-file' },
    }),
  };
}

/** The first line that is not empty. */
async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use --component-token-file: ${messageOf(error)}`);
  });
  const token = text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  if (token !== undefined && /^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw new InvalidConfigurationError('cannot use --component-token-file: it has no token');
}

interface AccessOptions {
  readonly flags: MothershipFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pageFolder?: string;
}

/** Who may send requests, and the page for operators. */
interface Access {
  readonly login: Login;
  readonly site: Site | undefined;
  close(): Promise<void>;
}

async function openAccess(
  { flags, env, pageFolder }: AccessOptions,
  { clock, log, baseUrl }: Pick<Deps, 'clock' | 'log'> & { readonly baseUrl: string },
): Promise<Access> {
  const files = await readPageFiles(pageFolder);
  if (flags.oidcIssuerUrl === '') {
    const page = files && createPageSite({ files, login: undefined });
    return {
      login: openLogin({ believesXJwt: !flags.login }),
      site: page && { respond: page, authorization: () => undefined },
      close: async () => undefined,
    };
  }
  const [{ createOidcLogin }, { createPageLogin }] = await Promise.all([
    import('../api/login/oidc-login.ts'),
    import('../page/page-login.ts'),
  ]);
  const requests = openIssuer({
    clock,
    trustedCertificates: await openTrustedCertificates({
      ...{ clock, log, file: flags.oidcCaFile, flag: '--oidc-ca-file' },
    }),
    env,
  });
  const loginLog = log.child({ caller: 'login' });
  const login = createOidcLogin({
    clock,
    log: loginLog,
    requests,
    issuer: flags.oidcIssuerUrl,
    audience: flags.oidcClientId,
    usernameClaim: flags.oidcUsernameClaim,
    groupsClaim: flags.oidcGroupsClaim,
    groups: { viewer: flags.viewerGroup, operator: flags.operatorGroup, admin: flags.adminGroup },
  });
  const pageLogin = createPageLogin({
    issuer: flags.oidcIssuerUrl,
    clientId: flags.oidcClientId,
    requests,
    baseUrl: trimTrailing(flags.pageUrl || baseUrl, '/'),
    log: loginLog,
  });
  const page = files && createPageSite({ files, login: pageLogin });
  return {
    login,
    site: page && { respond: page, authorization: sessionAuthorization },
    close: () => requests.close(),
  };
}

interface KeyGateOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly store: Pick<Store, 'queries'>;
  readonly keyring: Pick<Keyring, 'ids'>;
}

/** Holds back what works on the database until the key file can decrypt it. */
interface KeyGate {
  /** Why the process is not ready; undefined when it has all keys. */
  problem(): string | undefined;
  /** The part, which starts when the keys are there. */
  behind(runnable: Runnable): Runnable;
}

/**
 * Compares the keys of the file with those that the database is encrypted with. While one is missing, an error in the log and the
 * probe name it, and nothing runs: each operation would fail and be tried again with growing delays. The file is read again until it
 * has all of them.
 */
export async function createKeyGate({ clock, log, store, keyring }: KeyGateOptions): Promise<KeyGate> {
  const check = async () => missingKeys(await keysInUse(store), keyring.ids);
  let missing = await check();
  if (missing !== '') log.error('cannot decrypt the database: nothing is reconciled', { error: missing });
  const awaitKeys = async (signal: AbortSignal) => {
    while (missing !== '') {
      await sleep(clock, KEY_FILE_INTERVAL_MS, signal);
      try {
        missing = await check();
      } catch (error) {
        log.info('cannot compare the encryption keys with the database', { error: messageOf(error) });
      }
    }
  };
  let opening: Promise<void> | undefined;
  return {
    problem: () => (missing === '' ? undefined : missing),
    behind: (runnable) => ({
      ...runnable,
      start: async (signal, abort) => {
        if (missing !== '') {
          opening ??= awaitKeys(signal).then(() => log.info('the key file has all keys of the database'));
          await opening.catch(() => undefined);
          if (signal.aborted) return;
        }
        await runnable.start(signal, abort);
      },
    }),
  };
}

import { buildInfo, type Deps, type Logger, messageOf, systemClock } from '../../framework/base/index.ts';
import { loadClusterConfig } from '../../framework/kube/index.ts';
import { type ChangeLog, openChangeLog, openTraces } from '../../framework/managed/index.ts';
import { logEnd, logTo } from '../../framework/module/commands/log-format.ts';
import { untilStopped } from '../../framework/module/commands/until-stopped.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { createLogger, type Traces, traceSettings } from '../../framework/process/index.ts';
import { trustEnvironmentCertificates } from '../provider/connections/trust.ts';
import type { StartFlags } from '../provider/flags.ts';
import { createKymaProvider } from '../provider/kyma-provider.ts';
import { keepHeapSmall } from './small-heap.ts';

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. A second signal exits at once. */
export async function start(flags: StartFlags, host: ProcessLike): Promise<void> {
  const log = createLogger({ debug: flags.debug, ...logTo(flags.logFormat, host) });
  await logEnd(log, 'provider-kyma ends', () => serve(flags, host, log));
}

async function serve(flags: StartFlags, host: ProcessLike, log: Logger): Promise<void> {
  trustEnvironmentCertificates(host.env);
  const config = await loadClusterConfig({
    clock: systemClock,
    kubeconfig: flags.kubeconfig,
    env: host.env,
  });
  // What follows loads the modules and reads the files of their flags.
  const { version } = buildInfo;
  log.info('starting provider-kyma', { version, server: config.server });
  const { changeLog, traces } = await openTelemetry({ flags, env: host.env, log, version });
  const provider = await createKymaProvider({
    config,
    flags,
    log,
    env: host.env,
    ...(changeLog ? { changeLog } : {}),
    ...(traces ? { tracer: traces.tracer } : {}),
  });
  keepHeapSmall();
  try {
    await untilStopped(host, log, (signal) => provider.run(signal));
  } finally {
    changeLog?.close();
    await traces?.close();
  }
}

/** The change log and traces, if flags and environment enable them. */
interface Telemetry {
  readonly changeLog?: ChangeLog;
  readonly traces?: Traces;
}

interface TelemetryOptions extends Pick<Deps, 'log'> {
  readonly flags: Pick<StartFlags, 'enableChangelogs' | 'changelogsSocketPath'>;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

const NAME = 'provider-kyma';

async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const changeLog = await changeLogOf(options);
  const traces = await tracesOf(options);
  return { ...(changeLog ? { changeLog } : {}), ...(traces ? { traces } : {}) };
}

async function changeLogOf({ flags, log, version }: TelemetryOptions): Promise<ChangeLog | undefined> {
  if (!flags.enableChangelogs) return undefined;
  const socketPath = flags.changelogsSocketPath;
  log.info('recording changes in the change log', { socket: socketPath });
  return await openChangeLog({ provider: `${NAME}:${version}`, socketPath, clock: systemClock });
}

/** Invalid settings disable traces; the provider still starts. */
async function tracesOf({ env, log, version }: TelemetryOptions): Promise<Traces | undefined> {
  const service = { name: NAME, version };
  try {
    const settings = traceSettings(env, service);
    if (settings === undefined) return undefined;
    log.info('sending traces', { to: settings.endpoint.host, ratio: settings.ratio });
    return await openTraces({ settings, clock: systemClock, log, scope: service, env });
  } catch (error) {
    log.error('tracing is disabled', { error: messageOf(error) });
    return undefined;
  }
}

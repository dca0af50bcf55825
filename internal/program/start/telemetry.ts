import { type Deps, messageOf, systemClock } from '../../framework/base/index.ts';

import { type ChangeLog, openChangeLog, openTraces } from '../../framework/managed/index.ts';
import { type Traces, traceSettings } from '../../framework/process/index.ts';
import type { StartFlags } from '../provider/flags.ts';

/** The change log and traces, if flags and environment enable them. */
export interface Telemetry {
  readonly changeLog?: ChangeLog;
  readonly traces?: Traces;
}

export interface TelemetryOptions extends Pick<Deps, 'log'> {
  readonly flags: Pick<StartFlags, 'enableChangelogs' | 'changelogsSocketPath'>;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

const NAME = 'provider-kyma';

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
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

import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import {
  type ChangeLog,
  openChangeLog,
  openTraces,
  type Traces,
  traceSettings,
} from '../../runtime/index.ts';
import type { StartFlags } from '../flags.ts';

/** The change log and traces, as far as flags and environment ask for them. */
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
  log.info('changes are told to the change log', { socket: socketPath });
  return await openChangeLog({ provider: `${NAME}:${version}`, socketPath, clock: systemClock });
}

/** Settings that make no sense turn traces off: nobody's mappings may wait for them. */
async function tracesOf({ env, log, version }: TelemetryOptions): Promise<Traces | undefined> {
  const service = { name: NAME, version };
  try {
    const settings = traceSettings(env, service);
    if (settings === undefined) return undefined;
    log.info('traces are sent', { to: settings.endpoint.host, ratio: settings.ratio });
    return await openTraces({ settings, clock: systemClock, log, scope: service, env });
  } catch (error) {
    log.error('nothing is traced', { error: messageOf(error) });
    return undefined;
  }
}

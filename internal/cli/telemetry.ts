import { systemClock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import type { ChangeLog } from '../runtime/changelog/change-log.ts';
import type { Traces } from '../runtime/tracing/open-traces.ts';
import { traceSettings } from '../runtime/tracing/trace-settings.ts';
import type { StartFlags } from './flags.ts';

/** What tells others of the work, where somebody asked for it. What nobody asked for is not even loaded. */
export interface Telemetry {
  readonly changeLog?: ChangeLog;
  readonly traces?: Traces;
}

export interface TelemetryOptions {
  readonly flags: Pick<StartFlags, 'enableChangelogs' | 'changelogsSocketPath'>;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly version: string;
}

const NAME = 'provider-kyma';

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const changeLog = await openChangeLog(options);
  const traces = await openTraces(options);
  return { ...(changeLog ? { changeLog } : {}), ...(traces ? { traces } : {}) };
}

async function openChangeLog({ flags, log, version }: TelemetryOptions): Promise<ChangeLog | undefined> {
  if (!flags.enableChangelogs) return undefined;
  const socketPath = flags.changelogsSocketPath;
  const { createChangeLog } = await import('../runtime/changelog/change-log.ts');
  log.info('changes are told to the change log', { socket: socketPath });
  return createChangeLog({ provider: `${NAME}:${version}`, socketPath, clock: systemClock });
}

/** Settings that make no sense turn traces off: nobody's mappings may wait for them. */
async function openTraces({ env, log, version }: TelemetryOptions): Promise<Traces | undefined> {
  const service = { name: NAME, version };
  try {
    const settings = traceSettings(env, service);
    if (settings === undefined) return undefined;
    const { openTraces: open } = await import('../runtime/tracing/open-traces.ts');
    log.info('traces are sent', { to: settings.endpoint.host, ratio: settings.ratio });
    return open({ settings, clock: systemClock, random: systemRandom, log, scope: service, env });
  } catch (error) {
    log.error('nothing is traced', { error: messageOf(error) });
    return undefined;
  }
}

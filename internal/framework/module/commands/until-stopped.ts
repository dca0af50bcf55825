import type { Logger } from '../../base/telemetry/telemetry.ts';
import type { ProcessLike } from '../console/process-like.ts';

/** Runs `work` until it ends, which SIGTERM and SIGINT ask for by its signal. A second one exits at once, with `hardExitCode`. */
export async function untilStopped(
  host: ProcessLike,
  log: Logger,
  work: (signal: AbortSignal) => Promise<void>,
  hardExitCode = 1,
): Promise<void> {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) host.exit(hardExitCode);
    log.info('stopping');
    stopping.abort();
  };
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) host.on(signal, stop);
  try {
    await work(stopping.signal);
    log.info('stopped');
  } finally {
    for (const signal of signals) host.removeListener(signal, stop);
  }
}

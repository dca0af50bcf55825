import { ConfigurationError } from '../../base/configuration/configuration.ts';
import { findCause, messageOf } from '../../base/errors/errors.ts';
import type { Logger } from '../../base/telemetry/telemetry.ts';
import type { LogOptions } from '../../process/telemetry/json-logger.ts';
import type { ProcessLike } from '../console/process-like.ts';

/**
 * Form and place of the log: by default text for people at a terminal, JSON for collectors of logs.
 *
 * @param flag `--log-format`
 */
export function logTo(
  flag: string,
  { stderr }: Pick<ProcessLike, 'stderr'>,
): Pick<LogOptions, 'format' | 'destination'> {
  const format = flag === 'json' || flag === 'text' ? flag : stderr.isTTY ? 'text' : 'json';
  // Without a destination, lines are written at once, also those before the end of the process.
  if (stderr === process.stderr) return { format };
  return { format, destination: { write: (line) => void stderr.write(line) } };
}

/** Its cause is in the log already, and is not printed again. */
export class LoggedError extends Error {}

/**
 * Runs a program, and logs the reason if it ends with an error.
 *
 * @param message of that line
 * @throws LoggedError
 */
export async function logEnd(log: Logger, message: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const { mistakes = [] } = findCause(error, ConfigurationError) ?? {};
    log.error(message, { error: messageOf(error), ...(mistakes.length > 1 ? { mistakes } : {}) });
    throw new LoggedError(message, { cause: error });
  }
}

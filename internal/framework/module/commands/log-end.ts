import { ConfigurationError } from '../../base/configuration/configuration-error.ts';
import { findCause, messageOf } from '../../base/errors/errors.ts';
import type { Logger } from '../../base/telemetry/logger.ts';

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

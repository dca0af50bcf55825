/** Structured fields of one log line. Values must already be free of credentials; the sink scrubs once more. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The logger every room is given; none is global. Two levels matter to users: info (what an operator must
 * know) and debug (reconcile chatter, shown with --debug). Messages are constant texts, values go in fields.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

export const nopLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  child: () => nopLogger,
};

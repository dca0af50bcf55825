/** Structured fields of a log line. Values must not contain credentials. The sink redacts them as well. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The logger; passed to every layer, never global. Level `info` is for operators, `debug` for details of reconciles (shown
 * with --debug). Messages are constant texts; values go into fields.
 */
export interface Logger {
  /** A function is called only if the line is written. */
  debug(message: string, fields?: LogFields | (() => LogFields)): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. A function is called with the first line. */
  child(fields: LogFields | (() => LogFields)): Logger;
}

export const fieldsOf = (fields: LogFields | (() => LogFields) | undefined): LogFields | undefined =>
  typeof fields === 'function' ? fields() : fields;

export const nopLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  child: () => nopLogger,
};

import { publishOutput } from './observed-run.ts';

/** Structured fields of a log line. Values must not contain credentials. The sink redacts them as well. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Fields, or a function that is called only when a line needs them. */
export type LazyLogFields = LogFields | (() => LogFields);

/**
 * The logger; passed to every layer, never global. Level `info` is for operators, `debug` for details of reconciles (shown
 * with --debug). Messages are constant texts; values go into fields.
 */
export interface Logger {
  debug(message: string, fields?: LazyLogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. A function is called once, with the first line. */
  child(fields: LazyLogFields): Logger;
}

export const fieldsOf = (fields: LazyLogFields | undefined): LogFields | undefined =>
  typeof fields === 'function' ? fields() : fields;

/** Writes nothing. Tests observe what it is given (observed-output.ts). */
export const nopLogger: Logger = {
  debug: (message, fields) => publishOutput('log line', () => [message, fieldsOf(fields)]),
  info: (message, fields) => publishOutput('log line', () => [message, fields]),
  error: (message, fields) => publishOutput('log line', () => [message, fields]),
  child: () => nopLogger,
};

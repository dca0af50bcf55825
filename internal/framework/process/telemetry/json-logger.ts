import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { messageOf } from '../../base/errors/errors.ts';
import { fieldsOf, type LogFields, type Logger } from '../../base/telemetry/telemetry.ts';
import { redact } from '../../base/text/redact.ts';
import { type LogFormat, textLine } from './log-format.ts';

export interface LogOptions {
  readonly debug: boolean;
  /** Default: standard error, unbuffered. */
  readonly destination?: DestinationStream;
  /** `kyma`: the fields of Kyma's components, `message` and levels in capitals. Default: those of pino. */
  readonly fields?: 'kyma' | 'pino';
  /** `text`: lines for people. Default: `json`. */
  readonly format?: LogFormat;
}

/** JSON lines by pino. Every text is redacted again, so that no credential in a message or field reaches the log. */
export function createLogger({ debug, destination, fields = 'pino', format = 'json' }: LogOptions): Logger {
  const isKyma = fields === 'kyma';
  const lines = destination ?? pino.destination({ dest: 2, sync: true });
  const sink = pino(
    {
      level: debug ? 'debug' : 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(isKyma ? { messageKey: 'message' } : {}),
      formatters: { level: (level) => ({ level: isKyma ? level.toUpperCase() : level }) },
    },
    format === 'json' ? lines : { write: (line) => lines.write(textLine(line)) },
  );
  return adapt(sink, () => sink);
}

type Sink = PinoLogger;

/** @param bound the sink with the fields of a child, made with its first line: most reconciles write none */
function adapt(root: Sink, bound: () => Sink): Logger {
  return {
    debug: (message, fields) => {
      if (root.isLevelEnabled('debug')) bound().debug(scrub(fieldsOf(fields)), redact(message));
    },
    info: (message, fields) => bound().info(scrub(fields), redact(message)),
    error: (message, fields) => bound().error(scrub(fields), redact(message)),
    child: (fields) => {
      let child: Sink | undefined;
      return adapt(root, () => {
        child ??= bound().child(scrub(fieldsOf(fields)));
        return child;
      });
    },
  };
}

function scrub(fields: LogFields = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, scrubValue(value, 0)]));
}

function scrubValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (value instanceof Error) return redact(messageOf(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= 3) return '…';
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubValue(item, depth + 1)]));
}

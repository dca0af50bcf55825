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

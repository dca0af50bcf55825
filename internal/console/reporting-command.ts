import { messageOf } from '../base/errors/errors.ts';
import { redact } from '../base/text/redact.ts';
import type { ProcessLike } from './process-like.ts';
import { progressOn } from './progress.ts';
import { visible } from './visible.ts';

/** How a command that looks and prints is heard: its result on stdout, to be piped, and all else on stderr. */
export interface CommandOutput {
  /** The result. */
  print(text: string): void;
  /** A line of its own, after the command's name. Credentials are scrubbed. */
  info(line: string): void;
  /** What is going on, where somebody watches a terminal. The next one takes its place. */
  progress(text: string): void;
}

export interface ReportingCommand {
  /** As the user wrote it: `plan`. */
  readonly name: string;
  readonly host: ProcessLike;
  /** Exit code where there is no result. */
  readonly failed: number;
}

/** Returns the exit code: that of `work`, or `failed` after telling why it ended. */
export async function reporting(
  { name, host, failed }: ReportingCommand,
  work: (output: CommandOutput) => Promise<number>,
): Promise<number> {
  const progress = progressOn(host.stderr, host.env);
  const info = (line: string) => {
    progress.end();
    host.stderr.write(`provider-kyma ${name}: ${visible(redact(line))}\n`);
  };
  try {
    const print = (text: string) => {
      progress.end();
      host.stdout.write(text);
    };
    return await work({ print, info, progress: progress.say });
  } catch (error) {
    info(messageOf(error));
    return failed;
  } finally {
    progress.end();
  }
}

import { messageOf } from '../../base/errors/errors.ts';
import { redact, visible } from '../../base/text/redact.ts';
import type { OutputLike, ProcessLike } from './process-like.ts';

/** The output of a command: its result on stdout, everything else on stderr. */
export interface CommandOutput {
  /** Writes the result. */
  print(text: string): void;
  /** Writes a line with the command's name to stderr. Credentials are redacted. */
  info(line: string): void;
  /** Shows progress on a terminal. The next call replaces the text. */
  progress(text: string): void;
}

export interface ReportingCommand {
  /** As the user wrote it: `plan`. */
  readonly name: string;
  readonly host: ProcessLike;
  /** Exit code where there is no result. */
  readonly failed: number;
}

/** Runs `work` and returns its exit code. If it throws, prints the error and returns `failed`. */
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

/** Shows progress, on a terminal only. */
interface Progress {
  /** Replaces the line. */
  say(text: string): void;
  /** Removes the line. */
  end(): void;
}

const clearLine = '\r\u001b[2K';

/** @param output usually stderr, so that stdout has only the result */
export function progressOn(output: OutputLike, env: NodeJS.ProcessEnv): Progress {
  if (!output.isTTY || env.TERM === 'dumb' || env.CI) return { say: () => undefined, end: () => undefined };
  let shown = false;
  return {
    say: (text) => {
      output.write(`${clearLine}${visible(text)}`);
      shown = true;
    },
    end: () => {
      if (shown) output.write(clearLine);
      shown = false;
    },
  };
}

import { visible } from '../../base/text/visible.ts';
import type { OutputLike } from './process-like.ts';

/** Shows progress, on a terminal only. */
export interface Progress {
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

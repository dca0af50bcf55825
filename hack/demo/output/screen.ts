import { styleText } from 'node:util';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';

/** Where the lines go: standard output, or a test's list. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What the user sees, line by line, each with the seconds since the start. */
export interface Screen {
  section(title: string): void;
  /** Announces what is tried now. */
  begin(title: string): void;
  /** Something happened meanwhile. */
  print(text: string): void;
  /** What was announced holds. */
  held(seconds: number): void;
  /** @param why the reasons, a line each */
  failed(title: string, seconds: number, why: readonly string[]): void;
  /** A text of its own, without times: a table, the report of another program. */
  show(text: string): void;
}

export interface ScreenOptions {
  readonly output: Output;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
}

type Style = 'bold' | 'dim' | 'green' | 'red';

/** On a terminal with ticks and, unless NO_COLOR is set, with colours; elsewhere in plain words. */
export function createScreen({ output, clock, env }: ScreenOptions): Screen {
  const terminal = output.isTTY === true;
  const coloured = terminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (name: Style, text: string) =>
    coloured ? styleText(name, text, { validateStream: false }) : text;
  const marks = terminal
    ? { begin: '▸', held: '✓', failed: '✗' }
    : { begin: '..', held: 'ok', failed: 'FAILED' };
  const startedAt = clock.monotonic();
  let gap = true;
  const print = (line: string) => {
    output.write(`${line}\n`);
    gap = line === '';
  };
  const openGap = () => {
    if (!gap) print('');
  };
  const line = (text: string) => {
    const time = `${((clock.monotonic() - startedAt) / 1000).toFixed(1).padStart(6)} s`;
    print(`${style('dim', time)}  ${text}`);
  };
  const took = (seconds: number) => style('dim', `(${seconds.toFixed(1)} s)`);
  return {
    section: (title) => {
      openGap();
      print(style('bold', title));
      print('');
    },
    begin: (title) => line(`${marks.begin} ${style('bold', title)}`),
    print: (text) => line(`    ${text}`),
    held: (seconds) => line(`${style('green', marks.held)} ${took(seconds)}`),
    failed: (title, seconds, why) => {
      line(`${style('red', `${marks.failed} ${title}`)} ${took(seconds)}`);
      for (const text of why) line(`    ${text}`);
    },
    show: (text) => {
      openGap();
      for (const each of text.trimEnd().split('\n')) print(each === '' ? '' : `    ${each}`);
      print('');
    },
  };
}

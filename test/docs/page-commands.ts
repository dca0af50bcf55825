/** The shell commands of a page, executed as a user does: in a folder of its own, with programs that are called by their names. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { cacheRoot } from '../../hack/control-planes/binaries/ensure-program.ts';
import { eventually } from '../environment/eventually.ts';
import { codeBlocksOf } from './pages.ts';

const root = join(import.meta.dirname, '../..');

export interface PageCommands {
  /** The working directory of the user. */
  readonly folder: string;
  /** Variables of all commands; tests add theirs. */
  readonly env: Record<string, string>;
  /** All blocks of shell code of the page. */
  readonly blocks: readonly string[];
  /**
   * Executes the only block of the page with this text, and returns what it prints.
   *
   * @param names words in capitals, for which a user writes a name
   * @throws Error with what was printed, if a command fails
   */
  execute(text: string, names?: Readonly<Record<string, string>>): Promise<string>;
  /** Begins the only block with this text, whose last command runs until Ctrl-C. */
  begin(text: string): RunningCommands;
  /** Ends what was begun, and removes the folder. */
  close(): Promise<void>;
}

export interface RunningCommands {
  /** Resolves to the match as soon as it is printed. @throws Error with what was printed, if the commands end before */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** As Ctrl-C does; waits for the end. */
  stop(): Promise<void>;
}

export interface PageCommandsOptions {
  /** Scripts by name, beside `provider-kyma`. */
  readonly programs?: Readonly<Record<string, string>>;
  /** What the user of the test has in place of what stands on the page, such as ports. */
  readonly replaced?: Readonly<Record<string, string>>;
}

const PROGRAM = `#!/bin/sh
exec '${process.execPath}' '${join(root, 'internal/program/main.ts')}' "$@"
`;

/** A program `make` for the targets of a page: those without a script of this repository are done already. */
export const makeProgram = (scripts: Readonly<Record<string, string>>): string => `#!/bin/sh
case "$1" in
${Object.entries(scripts)
  .map(([target, script]) => `  ${target}) exec '${process.execPath}' '${join(root, script)}' ;;\n`)
  .join('')}esac
`;

export async function createPageCommands(
  page: string,
  { programs = {}, replaced = {} }: PageCommandsOptions = {},
): Promise<PageCommands> {
  const text = await readFile(join(root, page), 'utf8');
  const blocks = codeBlocksOf({ path: page, text }).flatMap(({ language, code }) =>
    language === 'sh' ? [code] : [],
  );
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  await mkdir(join(folder, 'bin'));
  for (const [name, content] of Object.entries({ 'provider-kyma': PROGRAM, ...programs })) {
    await writeFile(join(folder, 'bin', name), content);
    await chmod(join(folder, 'bin', name), 0o755);
  }
  const env: Record<string, string> = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    // What was downloaded or built on this machine.
    PROVIDER_KYMA_CACHE: cacheRoot(process.env),
  };
  const running: RunningCommands[] = [];
  const blockWith = (part: string, names: Readonly<Record<string, string>>): string => {
    const [block, ...others] = blocks.filter((code) => code.includes(part));
    if (block === undefined || others.length > 0) throw new Error(`${page}: not one block with ${part}`);
    const code = block.replace(/\b[A-Z]{3,}\b/g, (word) => names[word] ?? word);
    return Object.entries(replaced).reduce((done, [from, to]) => done.replaceAll(from, to), code);
  };
  const shell = (code: string) =>
    spawn('bash', ['-e', '-o', 'pipefail', '-c', code], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which a signal reaches as one of the terminal does.
      detached: true,
    });
  return {
    folder,
    env,
    blocks,
    execute: async (part, names = {}) => {
      const code = blockWith(part, names);
      const child = shell(code);
      const output = collect(child);
      const [exitCode] = await once(child, 'close');
      if (exitCode !== 0) throw new Error(`${code}: ${exitCode}\n${output()}`);
      return output();
    },
    begin: (part) => {
      const code = blockWith(part, {});
      const child = shell(code);
      const output = collect(child);
      let hasEnded = false;
      const ended = once(child, 'close').then(() => {
        hasEnded = true;
      });
      const begun: RunningCommands = {
        printed: async (pattern) => {
          const waiting = new AbortController();
          void ended.then(() => waiting.abort(new Error(`${code}: it has ended\n${output()}`)));
          return eventually(
            () => {
              const found = pattern.exec(output());
              if (found === null) throw new Error(`${code}: ${pattern} is not printed\n${output()}`);
              return found;
            },
            { signal: waiting.signal },
          );
        },
        stop: async () => {
          if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
          await ended;
        },
      };
      running.push(begun);
      return begun;
    },
    close: async () => {
      for (const each of running.toReversed()) await each.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function collect(child: ChildProcessByStdio<null, Readable, Readable>): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return () => output;
}

/** The shell commands of a page, executed as a user does: in a folder of its own, with programs that are called by their names. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  close(): Promise<void>;
}

const PROGRAM = `#!/bin/sh
exec '${process.execPath}' '${join(root, 'internal/program/main.ts')}' "$@"
`;

/** @param programs scripts by name, beside `provider-kyma` */
export async function createPageCommands(
  page: string,
  programs: Readonly<Record<string, string>> = {},
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
  };
  return {
    folder,
    env,
    blocks,
    execute: async (part, names = {}) => {
      const [block, ...others] = blocks.filter((code) => code.includes(part));
      if (block === undefined || others.length > 0) throw new Error(`${page}: not one block with ${part}`);
      const code = block.replace(/\b[A-Z]{3,}\b/g, (word) => names[word] ?? word);
      const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', code], { cwd: folder, env });
      let out = '';
      for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (out += chunk));
      const exitCode = await new Promise((done) => shell.on('close', done));
      if (exitCode !== 0) throw new Error(`${code}: ${exitCode}\n${out}`);
      return out;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

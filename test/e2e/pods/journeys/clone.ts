import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocksOf, commandLines } from '../../../docs/pages.ts';
import { tool } from '../../../environment/tool.ts';
import { ROOT } from '../pods-options.ts';

/** A fresh clone of this repository, in which a user follows the pages. */
export interface Clone {
  /**
   * Executes the shell code of a page as it is printed there.
   *
   * @param containing text of the one block that is meant
   * @throws if the page has not exactly one such block, or a command fails
   */
  follow(page: string, containing: string, more?: FollowOptions): Promise<string>;
  /** Executes the commands in the comment at the beginning of a manifest, those that are indented. */
  followComment(manifest: string, more?: FollowOptions): Promise<string>;
  /** The one block of a page in a language that contains a text. */
  block(page: string, language: string, containing: string): Promise<string>;
  read(file: string): Promise<string>;
  /** Changes a file, as a page says. */
  edit(file: string, change: (text: string) => string): Promise<void>;
}

export interface FollowOptions {
  /** What the user puts in place of a part that the page leaves open: `<file>`. */
  readonly replace?: Readonly<Record<string, string>>;
  /** The commands that the user chooses, where the block has several for different cases. Default: all. */
  readonly only?: RegExp;
}

/**
 * @param directory in which it is made
 * @param transcript gets each command before it is executed
 */
export async function freshClone(directory: string, transcript: (line: string) => void): Promise<Clone> {
  const folder = join(directory, 'clone');
  await tool('git', ['clone', '--quiet', ROOT, folder]);
  const block: Clone['block'] = async (page, language, containing) => {
    const text = await readFile(join(folder, page), 'utf8');
    const found = codeBlocksOf({ path: page, text }).filter(
      (each) => each.language === language && each.code.includes(containing),
    );
    const [one] = found;
    if (one === undefined || found.length > 1)
      throw new Error(`${page} has ${found.length} blocks with ${containing}`);
    return one.code;
  };
  const execute = async (code: string, { replace = {}, only }: FollowOptions = {}) => {
    const lines = commandLines(code).filter((line) => only === undefined || only.test(line));
    if (lines.length === 0) throw new Error(`no command is left of ${code}`);
    let output = '';
    for (const line of lines) {
      const command = Object.entries(replace).reduce((text, [from, to]) => text.replaceAll(from, to), line);
      transcript(`$ ${command}`);
      output += await tool('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder });
    }
    return output;
  };
  return {
    block,
    follow: async (page, containing, more) => execute(await block(page, 'sh', containing), more),
    followComment: async (manifest, more) => {
      const text = await readFile(join(folder, manifest), 'utf8');
      const [head = ''] = text.split(/^[^#]/m);
      return execute([...head.matchAll(/^# {3,}(.*)$/gm)].map(([, line]) => line).join('\n'), more);
    },
    read: (file) => readFile(join(folder, file), 'utf8'),
    edit: async (file, change) => {
      const path = join(folder, file);
      await writeFile(path, change(await readFile(path, 'utf8').catch(() => '')));
    },
  };
}

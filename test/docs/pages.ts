/** The pages for readers, and their checked parts. */
import { glob, readFile } from 'node:fs/promises';

const root = new URL('../../', import.meta.url);

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  /** Page and line, for messages. */
  readonly where: string;
  /** What stands behind the fence: `sh`, `yaml`; empty for output. */
  readonly language: string;
  readonly code: string;
}

/** Every Markdown page that is kept. */
export async function allPages(): Promise<Page[]> {
  const paths = glob(['*.md', '{apis,docs,examples,hack,internal,package,test}/**/*.md'], {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  const pages: Page[] = [];
  for await (const path of paths) {
    pages.push({ path, text: await readFile(new URL(path, root), 'utf8') });
  }
  return pages.sort((a, b) => a.path.localeCompare(b.path));
}

/** Fenced blocks, those within lists without their indentation. */
export function codeBlocksOf({ path, text }: Page): CodeBlock[] {
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```$/gm)].map((found) => {
    const [, indent = '', language = '', code = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    return { where: `${path}:${line}`, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** The commands of a block, one a line: one that ends with a backslash goes on in the next line. */
export const commandLines = (code: string): string[] =>
  code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));

export async function allCodeBlocks(language: string): Promise<CodeBlock[]> {
  const pages = await allPages();
  return pages.flatMap(codeBlocksOf).filter((block) => block.language === language);
}

/** What stands between single backticks in the text. */
export async function allInlineCode(): Promise<CodeBlock[]> {
  const pages = await allPages();
  return pages.flatMap(({ path, text }) => {
    const lines = text
      .replace(/^( *)```[\s\S]*?^\1```$/gm, (block) => block.replace(/[^\n]/g, ''))
      .split('\n');
    return lines.flatMap((line, index) =>
      [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({
        where: `${path}:${index + 1}`,
        language: '',
        code,
      })),
    );
  });
}

/** The names by which links reach the headings of a page, as GitHub makes them. */
export function anchorsOf({ text }: Page): Set<string> {
  const prose = text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  const seen = new Map<string, number>();
  const anchors = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => {
    const name = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  });
  return new Set(anchors);
}

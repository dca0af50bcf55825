/** The TypeScript of a Markdown page, block by block. */
export function blocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}

/** The YAML files of a Markdown page, by path. Their first line is a comment with the path. */
export function filesOf(markdown: string): [path: string, text: string][] {
  const files = markdown.matchAll(/^```yaml\n# (\S+\/\S+\.yaml)\n([\s\S]*?)^```$/gm);
  return [...files].map(([, path = '', text = '']) => [path, text]);
}

/**
 * One module from a page's blocks, for the compiler: all imports come first, and each block is a function of its own,
 * so that blocks may use the same names.
 *
 * @param before what the page takes for given
 */
export function moduleOf(blocks: readonly string[], before: string): string {
  const statement = /^import [\s\S]*?;$/gm;
  const imports = blocks.flatMap((code) => code.match(statement) ?? []);
  const bodies = blocks.map((code, position) => {
    const body = code.replace(statement, '').replace(/^export /gm, '');
    return `export async function block${position}() {\n${body}\n}`;
  });
  return [...new Set(imports), before, ...bodies].join('\n\n');
}

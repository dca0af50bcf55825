import type { Project } from './project.ts';

/** What is around the sentence in the first line. JSON has no comments: that of an object is its member `description`. */
const comments = new Map([
  ['ts', ['// ', '']],
  ['yaml', ['# ', '']],
  ['md', ['<!-- ', ' -->']],
  ['json', ['{ "description": "', '",']],
]);

/** First line of every generated file; `isGenerated` knows a file by it. Of JSON it is the beginning of the object. */
export function generatedHeader({ generator, command }: Project, path: string, source: string): string {
  const [begin, end] = comments.get(path.slice(path.lastIndexOf('.') + 1)) ?? [];
  if (begin === undefined) throw new Error(`no comment is known for ${path}`);
  return `${begin}Generated from ${source} by ${generator}. Do not edit; run \`${command}\`.${end}\n`;
}

/** Whether the text begins with a header of the project's generator. */
export function isGenerated({ generator }: Project, text: string): boolean {
  return (text.split('\n', 1)[0] ?? '').includes(` by ${generator}. Do not edit; run `);
}

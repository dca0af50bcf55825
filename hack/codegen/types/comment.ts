const width = 110;

/** A JSDoc comment in lines of a readable length; each paragraph begins on a line of its own. */
export function comment(paragraphs: readonly string[], indent = ''): string {
  const room = width - indent.length - ' * '.length;
  const lines = paragraphs.flatMap((paragraph) => wrap(paragraph.replaceAll('*/', '*\\/'), room));
  const oneLine = `${indent}/** ${lines[0]} */`;
  if (lines.length === 1 && oneLine.length <= width) return oneLine;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`].join('\n');
}

/**
 * Rewrites the comments of openapi-typescript, which has one line for each tag, however long: the description comes
 * without its tag, and `@enum` is dropped because the type states it.
 */
export function tidyComments(code: string): string {
  return code.replaceAll(/^( *)\/\*\*(.*?)\*\//gms, (_, indent: string, body: string) => {
    const paragraphs: string[] = [];
    for (const line of body.split('\n').map((raw) => raw.replace(/^ *\*/, '').trim())) {
      if (/^(@|Format:)/.test(line) || paragraphs.length === 0) paragraphs.push(line);
      else paragraphs.push(`${paragraphs.pop()} ${line}`);
    }
    const kept = paragraphs
      .map((paragraph) => paragraph.replace(/^@description /, '').trim())
      .filter((paragraph) => paragraph !== '' && !paragraph.startsWith('@enum'));
    return comment(
      kept.sort((a, b) => rank(a) - rank(b)),
      indent,
    );
  });
}

/** The description before formats and tags. */
function rank(paragraph: string): number {
  if (paragraph.startsWith('@')) return 2;
  return paragraph.startsWith('Format:') ? 1 : 0;
}

function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** A Secret is not larger. */
const MAX_LENGTH = 1024 * 1024;

const LISTS = ['contexts', 'clusters', 'users'];

/** A key of the document with its lines. */
interface Section {
  readonly key: string;
  readonly lines: string[];
}

/**
 * A kubeconfig without the contexts, clusters and users that its current context does not use, for a text that is too long to be
 * parsed. It reads lines in the block style that kubectl writes, in linear time. Undefined if it finds no such lists; the result is
 * parsed and checked as any other text.
 */
export function currentEntries(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const sections = sectionsOf(text);
  // The last of two keys counts.
  const last = (key: string) => sections.findLast((section) => section.key === key);
  const current = fieldText(last('current-context')?.lines[0], 'current-context');
  const context = current && itemNamed(last('contexts'), current);
  if (!context) return undefined;
  const names = new Map([
    ['contexts', current],
    ...(['cluster', 'user'] as const).map((part): [string, string | undefined] => [
      `${part}s`,
      context.map((line) => fieldText(line, part)).find((value) => value !== undefined),
    ]),
  ]);
  return sections
    .flatMap((section) => {
      const name = names.get(section.key);
      const item = name === undefined ? undefined : itemNamed(section, name);
      return LISTS.includes(section.key) ? [section.lines[0] ?? '', ...(item ?? [])] : section.lines;
    })
    .join('\n');
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  for (const line of text.split(/\r?\n/)) {
    const key = /^([a-zA-Z][\w-]*):(?:\s|$)/.exec(line)?.[1];
    if (key !== undefined || sections.length === 0) sections.push({ key: key ?? '', lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** The lines of the first item of that name. */
function itemNamed(section: Section | undefined, name: string): string[] | undefined {
  const lines = section?.lines.slice(1) ?? [];
  const indent = lines.map((line) => /^( *)- /.exec(line)?.[1]?.length).find((found) => found !== undefined);
  if (indent === undefined) return undefined;
  const isStart = (line: string) => line.startsWith('- ', indent) && line.slice(0, indent).trim() === '';
  const nameLine = ' '.repeat(indent + 2);
  let item: string[] | undefined;
  let isNamed = false;
  for (const line of lines) {
    if (isStart(line)) {
      if (isNamed) return item;
      item = [];
    }
    item?.push(line);
    const field = isStart(line) ? `${nameLine}${line.slice(indent + 2)}` : line;
    if (field.startsWith(`${nameLine}name:`) && fieldText(field, 'name') === name) isNamed = true;
  }
  return isNamed ? item : undefined;
}

/** The text after `key:`, without quotes. */
function fieldText(line: string | undefined, key: string): string | undefined {
  const field = line?.trimStart() ?? '';
  if (!field.startsWith(`${key}:`)) return undefined;
  const value = field.slice(key.length + 1).trim();
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? (value === '' ? undefined : value);
}

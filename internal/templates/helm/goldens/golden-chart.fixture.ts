import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A chart in one file: `-- path --` lines, each with the content of a file behind it; the last is what a user sets. */
export interface GoldenChart {
  readonly name: string;
  readonly sha256: string;
  readonly files: readonly { readonly name: string; readonly data: Uint8Array }[];
  readonly values: Record<string, unknown>;
}

/** What Helm made of it. */
export interface GoldenResult {
  readonly sha256: string;
  readonly helm: string;
  readonly output?: string;
  /** The objects of the output as Helm reads them before it installs them; absent: it would not. */
  readonly objects?: readonly unknown[];
  readonly refusal?: string;
}

const USER_VALUES = 'user values';

export function readGoldenCharts(folder: string = import.meta.dirname): GoldenChart[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.chart'));
  return names.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const [, ...parts] = text.split(/^-- (.*) --\n/m);
    const sections = parts.flatMap((name, i) => (i % 2 === 0 ? [{ name, text: parts[i + 1] ?? '' }] : []));
    const values: unknown = JSON.parse(sections.find(({ name }) => name === USER_VALUES)?.text ?? '{}');
    return {
      name: file.slice(0, -'.chart'.length),
      sha256: createHash('sha256').update(text).digest('hex'),
      files: sections
        .filter(({ name }) => name !== USER_VALUES)
        .map(({ name, text: content }) => ({ name, data: Buffer.from(content) })),
      values: typeof values === 'object' && values !== null ? { ...values } : {},
    };
  });
}

export const readGoldenResult = (name: string): GoldenResult =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${name}.result.json`), 'utf8')) as GoldenResult;

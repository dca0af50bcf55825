import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a program made of a chart: its output, or why it refused. */
export type Outcome = { readonly output: string } | { readonly refusal: string };

/**
 * - `same`: byte for byte
 * - `refused`: by both
 * - `blank lines`: but for blank lines at the end of documents, which Helm 3 leaves out, and a second separator, which it keeps
 * - `order`: the same documents in another order, beside blank lines; Helm 3 knows fewer kinds
 * - `random`: in all lines that two runs of Helm have in common
 */
export type Comparison = 'same' | 'refused' | 'blank lines' | 'order' | 'random' | 'differs';

export const isAlike = (comparison: Comparison): boolean => comparison !== 'differs';

const MAX_OUTPUT = 256 * 1024 * 1024;

/** `helm template` with the flags that charts are rendered by. */
export async function runHelm(
  helm: string,
  chart: string,
  valuesFile: string | undefined,
  namespace = 'default',
): Promise<Outcome> {
  const flags = ['--include-crds', '--no-hooks', '--namespace', namespace];
  const args = ['template', 'rel', chart, ...flags, ...(valuesFile === undefined ? [] : ['-f', valuesFile])];
  try {
    const { stdout } = await promisify(execFile)(helm, args, { maxBuffer: MAX_OUTPUT });
    return { output: stdout };
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return { refusal: stderr ?? String(error) };
  }
}

/** @param again runs Helm once more, to find out what is random */
export async function compare(
  helm: Outcome,
  own: Outcome,
  again: () => Promise<Outcome>,
): Promise<Comparison> {
  if ('refusal' in helm || 'refusal' in own)
    return 'refusal' in helm && 'refusal' in own ? 'refused' : 'differs';
  if (helm.output === own.output) return 'same';
  if (withoutBlankEnds(helm.output) === withoutBlankEnds(own.output)) return 'blank lines';
  if (sortedDocuments(helm.output) === sortedDocuments(own.output)) return 'order';
  const second = await again();
  if (!('output' in second) || second.output === helm.output) return 'differs';
  return isSameBut(...([helm, second, own].map(({ output }) => withoutBlankEnds(output)) as Texts))
    ? 'random'
    : 'differs';
}

const sortedDocuments = (text: string): string =>
  withoutBlankEnds(`\n${text}`)
    .trim()
    .split(/^---\n/m)
    .map((document) => document.trim())
    .sort()
    .join('---\n');

type Texts = [string, string, string];

/** Of two separators in a row, Helm 3 leaves one in the text. */
const withoutBlankEnds = (text: string): string =>
  text.replace(/\n\s*(?=\n---\n|$)/g, '').replace(/^(# Source: .*\n)---\n/gm, '$1');

/** Whether lines in which both runs of Helm agree are the same. */
function isSameBut(one: string, other: string, own: string): boolean {
  const [first, second, third] = [one, other, own].map((text) => text.split('\n'));
  if (!first || !second || !third || first.length !== second.length || first.length !== third.length) {
    return false;
  }
  return first.every((line, i) => line !== second[i] || line === third[i]);
}

/** The first lines in which two texts differ, for a reader. */
export function firstDifference(helm: Outcome, own: Outcome): string {
  if ('refusal' in helm) return `helm refuses: ${helm.refusal.trim()}`;
  if ('refusal' in own) return `refused here: ${own.refusal.trim()}`;
  const lines = helm.output.split('\n');
  const ownLines = own.output.split('\n');
  const at = lines.findIndex((line, i) => line !== ownLines[i]);
  const source = lines.slice(0, at + 1).findLast((line) => line.startsWith('# Source:'));
  return `${source ?? ''}\n  line ${at + 1}\n  helm: ${lines[at] ?? ''}\n  here: ${ownLines[at] ?? ''}`;
}

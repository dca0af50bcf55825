import { parse } from '@babel/parser';
import { check, type Diagnostics } from 'recheck';

/** A regular expression as written in the source. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** One-based. */
  readonly line: number;
}

/** What was found, and the patterns that are linear, by what is written. */
export interface CheckedPatterns {
  readonly problems: readonly string[];
  readonly linear: readonly string[];
}

/**
 * Longer than any analysis of a readable pattern takes. A match that takes `attackTimeout` counts as an attack: with the
 * default of a second a busy machine made linear patterns fail.
 */
const LIMITS = { timeout: 240_000, attackTimeout: 60_000 } as const;

/** The bundle has one byte for each character, and esbuild escapes others in texts only: those of a pattern would become `?`. */
const BEYOND_ASCII = /\P{ASCII}/u;

/**
 * The regular expressions of TypeScript source.
 *
 * @throws Error where one is built at run time: what it is then cannot be checked; or has a character that bundling loses
 */
export function findPatterns(source: string): Pattern[] {
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const found: Pattern[] = [];
  for (const node of nodesOf(program)) {
    const line = node.loc?.start.line ?? 0;
    if (node.type === 'RegExpLiteral')
      found.push({ source: node.pattern ?? '', flags: node.flags ?? '', line });
    if (node.type === 'RegExpLiteral' && BEYOND_ASCII.test(node.pattern ?? ''))
      throw new Error(`${line}: write characters beyond ASCII as \\u…, since the bundle would lose them`);
    if (['NewExpression', 'CallExpression'].includes(node.type) && node.callee?.name === 'RegExp')
      throw new Error(`${line}: a regular expression must be a literal, so that it can be checked`);
  }
  return found;
}

/**
 * The patterns that take more than linear time, one line each: `path:line: reason`. Such a pattern could block the
 * process on a text of a tenant.
 *
 * @param known patterns that were found linear before: an analysis takes up to some seconds
 */
export async function checkLinearPatterns(
  files: ReadonlyMap<string, string>,
  known: readonly string[] = [],
): Promise<CheckedPatterns> {
  const problems: string[] = [];
  const verdicts = new Map(known.map((pattern) => [pattern, LINEAR]));
  const linear = new Set<string>();
  for (const [path, text] of files) {
    if (!/^internal\/.*\.ts$/.test(path) || /\.(test|gen)\.ts$/.test(path)) continue;
    try {
      for (const { source, flags, line } of findPatterns(text)) {
        const pattern = `/${source}/${flags}`;
        const verdict = verdicts.get(pattern) ?? verdictOn(pattern, await check(source, flags, LIMITS));
        verdicts.set(pattern, verdict);
        if (verdict === LINEAR) linear.add(pattern);
        else problems.push(`${path}:${line}: ${verdict}`);
      }
    } catch (error) {
      problems.push(`${path}:${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { problems, linear: [...linear].sort() };
}

const LINEAR = 'linear';

function verdictOn(pattern: string, result: Diagnostics): string {
  switch (result.status) {
    case 'safe':
      return LINEAR;
    case 'vulnerable':
      return `${pattern} takes ${result.complexity.summary} time, for example for ${result.attack.pattern}`;
    case 'unknown':
      return `${pattern} cannot be checked (${result.error.kind}); write it simpler`;
    default:
      return result satisfies never;
  }
}

/** The used part of a syntax node. */
interface Node {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly pattern?: string;
  readonly flags?: string;
  readonly callee?: { readonly name?: string };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value && typeof value.type === 'string') yield value as Node;
    for (const [name, member] of Object.entries(value)) if (name !== 'loc') yield* nodesOf(member);
  }
}

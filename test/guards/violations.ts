/**
 * What guards find. `guard`, `where` and `what` identify a violation; known.yaml lists those that exist, and is checked both
 * ways: a violation that it does not list fails the test, an entry that the whole suite does not meet fails `make test`.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const GUARDS = [
  'foreign-objects',
  'live-run',
  'taint',
  'connections',
  'non-interference',
  'triggers',
  'answers',
] as const;
export type Guard = (typeof GUARDS)[number];

export interface Violation {
  readonly guard: Guard;
  /** A place in the code, as in `Origin`, or what contains the value. */
  readonly where: string;
  /** The same in each run: no names of objects of a test. */
  readonly what: string;
  /** For the message of a failed test only. */
  readonly details?: string;
}

export interface KnownViolation extends Violation {
  /** The module to which `where` belongs. */
  readonly module: string;
  /** The tests that meet it; `night`: hack/guards/plant alone. */
  readonly tier: 'unit' | 'integration' | 'night';
  /** Date, and why it is there. */
  readonly since: string;
  readonly why: string;
}

const FILE = join(import.meta.dirname, 'known.yaml');
/** Set by `make test`: a folder in which each process leaves the known violations that it met. */
export const MET_FOLDER = 'GUARDS_MET';

export const identityOf = ({ guard, where, what }: Violation): string => `${guard}: ${where}: ${what}`;

/** Read once in a process. */
export const knownViolations: readonly KnownViolation[] = parse(readFileSync(FILE, 'utf8')) ?? [];
const known: ReadonlySet<string> = new Set(knownViolations.map(identityOf));

export const isKnown = (violation: Violation): boolean => known.has(identityOf(violation));

const met = new Set<string>();
const unlisted = new Map<string, Violation>();

export function reportViolation(violation: Violation): void {
  const identity = identityOf(violation);
  if (!known.has(identity)) {
    if (!unlisted.has(identity)) unlisted.set(identity, violation);
    return;
  }
  if (met.has(identity)) return;
  met.add(identity);
  append('met', identity);
}

/** Whether `make test` runs, whose last stage reports what is noted. */
export function noteUnlisted(violations: readonly Violation[]): boolean {
  for (const violation of violations) append('unlisted', identityOf(violation));
  return process.env[MET_FOLDER] !== undefined;
}

function append(kind: 'met' | 'unlisted', identity: string): void {
  const folder = process.env[MET_FOLDER];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}.${kind}`), `${identity}\n`);
}

/** What processes noted in `folder`. */
function noted(folder: string, kind: 'met' | 'unlisted'): ReadonlySet<string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(`.${kind}`));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Set(texts.flatMap((text) => text.split('\n')).filter((line) => line !== ''));
}

export const unlistedViolations = (folder: string): readonly string[] =>
  [...noted(folder, 'unlisted')].sort();

/** Known violations that no process met which wrote to `folder`. Those that need all copies are not met in a usual run. */
export function unmetViolations(folder: string): readonly KnownViolation[] {
  const found = noted(folder, 'met');
  return knownViolations.filter((each) => each.tier !== 'night' && !found.has(identityOf(each)));
}

/** The violations since the last call that are not listed. */
export function takeViolations(): readonly Violation[] {
  const taken = [...unlisted.values()];
  unlisted.clear();
  return taken;
}

/** @throws if there are any: the message names each */
export function assertNoViolations(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  const lines = violations.map((each) => `  ${identityOf(each)}${each.details ? ` (${each.details})` : ''}`);
  throw new Error(`guards (test/README.md) found:\n${lines.join('\n')}`);
}

import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { anyCharacter } from '../../test/campaign/any-character.ts';
import { visible, visibleLines } from '../framework/base/text/redact.ts';
import type { ProcessLike } from '../framework/module/console/process-like.ts';
import { reporting } from '../framework/module/console/reporting-command.ts';
import { plain, printed, shown } from '../framework/module/console/shown.ts';
import { review } from './doctor/before-uninstall.fixture.ts';
import { formatReview } from './doctor/before-uninstall.ts';
import { formatDiagnosis } from './doctor/doctor.ts';
import { everything } from './plan/plan.fixture.ts';
import { formatPlan } from './plan/run-plan.ts';

const hostile: Record<string, string> = {
  'a colour': '\u001b[31mred',
  'the title of the window': '\u001b]0;pwned\u0007',
  'an escape sequence in one character': '\u009b31m',
  'a carriage return over what stood there': 'bad\rgood',
  'a line in the form of another check': 'x\nok  API  mapped',
  'a line separator': 'a\u2028b',
  'text that runs backwards': '\u202egnp.exe',
  'an invisible mark': 'ad\u200bmin',
  'a tag': 'a\u{e0041}b',
  'a backspace': 'a\bb',
  'half a character': 'a\ud800b',
};

/** Control characters and invisible characters, except line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028\u202e\u{e0041}\p{Cs}]/u;

/** Every text of a value is hostile. */
function poisoned<T>(value: T, text: string): T {
  if (typeof value === 'string') return `${value}${text}` as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, text)) as T;
  // Values of the program itself.
  const own = ['action', 'status', 'fate'];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      own.includes(name) ? member : poisoned(member, text),
    ]),
  ) as T;
}

const diagnosis = {
  mapping: 'shop',
  healthy: false,
  checks: [
    {
      name: 'Secret',
      status: 'failed',
      object: 'Secret a',
      cluster: 'c',
      detail: 'x',
      field: 'k',
      remediation: 'kubectl',
    },
  ],
} as const;

describe.each(Object.entries(hostile))('%s', (_, text) => {
  test('is escaped in every report and stays on its line', () => {
    const reports = [
      [formatDiagnosis(shown(poisoned(diagnosis, text))), formatDiagnosis(shown(diagnosis))],
      [formatPlan(shown(poisoned(everything, text)), plain), formatPlan(shown(everything), plain)],
      [formatReview(shown(poisoned(review, text)), plain), formatReview(shown(review), plain)],
    ] as const;
    for (const [report, usual] of reports) {
      expect(report).not.toMatch(steering);
      expect(report.split('\n')).toHaveLength(usual.split('\n').length);
    }
  });

  test('is unchanged for programs and never sent to a terminal', () => {
    const value = { [`name ${text}`]: [text], plain: 'x' };
    const never = () => '';
    const [json, yaml] = [printed('json', value, never), printed('yaml', value, never)];
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(steering);
    expect(yaml).not.toMatch(steering);
    expect(parse(yaml)).toEqual(value);
  });

  test('is escaped in lines on stderr', async () => {
    const written: string[] = [];
    const stderr = { write: (line: string) => written.push(line) };
    const host = { env: {}, stdout: stderr, stderr } as unknown as ProcessLike;
    await reporting({ name: 'plan', host, failed: 1 }, async ({ info }) => {
      info(`note ${text}`);
      throw new Error(`cannot ${text}`);
    });
    for (const line of written) {
      expect(line).not.toMatch(steering);
      expect(line.match(/\n/g)).toHaveLength(1);
    }
  });
});

test('normal text of all scripts is unchanged', () => {
  const texts = ['ServiceInstance shop/hana', 'größe 日本語 العربية', '👍🏽', 'a\\nb'];
  expect(texts.map(visible)).toEqual(texts);
});

test('the escape sequence identifies the character', () => {
  expect(visible('\u001b[0m\n\t\u009b\u202e\u{e0041}')).toBe('\\e[0m\\n\\t\\u009b\\u202e\\udb40\\udc41');
  expect(visibleLines('a\nb\u001b\n')).toBe('a\nb\\e\n');
});

test('property: escaping is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(visible(text)).not.toMatch(steering);
      expect(visible(visible(text))).toBe(visible(text));
    }),
  );
});

test('only these files write to a terminal', async () => {
  const root = new URL('../', import.meta.url);
  const files: string[] = [];
  for (const path of await readdir(root, { recursive: true })) {
    if (!path.endsWith('.ts') || /\.(test|fixture)\.ts$/.test(path)) continue;
    const text = await readFile(new URL(path, root), 'utf8');
    if (/\b(stdout|stderr|output)\.write\(|\bconsole\.\w/.test(text)) files.push(path.replaceAll('\\', '/'));
  }
  expect(files.sort()).toEqual([
    // Lines of the log, as it formats them.
    'framework/module/commands/log-format.ts',
    'framework/module/console/reporting-command.ts',
    // Names of tests for the kit, as JSON, in which what steers a terminal is escaped.
    'framework/rest/fakes/index.ts',
    // Prints the completion script, and candidates from flags and files.
    'program/completion.ts',
    'program/crash-output.ts',
    'program/program.ts',
    // The output of a template: escaped on a terminal, as it is in a file.
    'systems/btp/commands/template/run-render.ts',
    // Prints a request that has texts of flags only.
    'systems/reconciler/commands/component/command.ts',
    'systems/reconciler/commands/local/run-local.ts',
    // Numbers, names of tables, and the path of the key that the administrator names.
    'systems/reconciler/commands/mothership/database-commands.ts',
  ]);
});

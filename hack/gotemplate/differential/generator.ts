/** Makes templates and charts at random, of which many are nearly right: each seed gives the same. */

/** Numbers that follow from a seed (mulberry32). */
export class Choice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  of<T>(options: readonly [T, ...T[]]): T {
    return options[this.below(options.length)] ?? options[0];
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

const WORDS = [
  'alpha',
  'beta',
  'Gamma',
  'delta-1',
  'x',
  'HTTPServer2x',
  'foo_bar',
  'yes',
  'null',
  '1e3',
  '~',
  '010',
  '',
] as const;
const ODD_TEXTS = [
  'a: b',
  '- c',
  ' lead',
  'trail ',
  '#no',
  'two\nlines',
  'three\n\nlines\n',
  'tab\there',
  "it's",
  'say "hi"',
  'é😀',
  '{{ x }}',
  '2024-01-02',
  '0x1F',
  '1_000',
  '.5',
  '12:30:45',
  'a\\b',
  '%x',
  '@at',
  'on',
  '<a&b>',
  'long text that goes on and on so that the line has to be broken somewhere behind the eightieth column of it',
] as const;

export function value(choice: Choice, depth: number): unknown {
  switch (choice.below(depth > 0 ? 9 : 6)) {
    case 0:
      return choice.below(2000) - 1000;
    case 1:
      return choice.chance(50);
    case 2:
      return choice.of([0.5, 1.25, -3.75e-9, 1e21, 123456789.125, 1000000, 2 ** 53, 0]);
    case 3:
      return null;
    case 4:
      return choice.of(ODD_TEXTS);
    case 5:
      return choice.of(WORDS);
    case 6:
      return Array.from({ length: choice.below(4) }, () => value(choice, depth - 1));
    default:
      return table(choice, depth - 1);
  }
}

const KEYS = [
  'name',
  'enabled',
  'list',
  'map',
  'a.b',
  'key-1',
  'key10',
  'key2',
  'Upper',
  'on',
  '1',
  'null',
  'x y',
] as const;

export const table = (choice: Choice, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: 1 + choice.below(4) }, () => [choice.of(KEYS), value(choice, depth)]),
  );

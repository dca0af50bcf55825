/** What a figure counts. Of `/s` more is better, of all others less. */
export type Unit = 's' | 'ms' | 'µs' | 'MiB' | '/s' | '';

/** One row of the report: what the provider took, beside what a plain program took for the same in the same run. */
export interface Figure {
  /** As a noun phrase: `1,000 new mappings until all are Ready`. */
  readonly name: string;
  readonly unit: Unit;
  readonly value: number;
  /** In the same unit; absent where a plain program has nothing of the kind. */
  readonly plain?: number | undefined;
  /** The target of the project: an upper bound, or for `/s` a lower bound. */
  readonly target?: number | undefined;
}

/** A figure of the provider alone. */
export const figure = (name: string, unit: Unit, value: number, target?: number): Figure => ({
  name,
  unit,
  value,
  target,
});

/** A figure that follows from a result. */
export type FigureRow<T> = readonly [
  name: string,
  unit: Unit,
  value: (of: T) => number,
  target?: number | undefined,
];

/**
 * @param what precedes the name of each figure
 * @param plain result of the plain program, if it does the same
 */
export function figuresOf<T>(what: string, rows: readonly FigureRow<T>[], provider: T, plain?: T): Figure[] {
  return rows.map(([name, unit, value, target]) => ({
    name: `${what}${name}`,
    unit,
    value: value(provider),
    plain: plain === undefined ? undefined : value(plain),
    target,
  }));
}

/** `1,000` */
export const count = (value: number): string => value.toLocaleString('en-US');

/** Three significant digits, if there are any: `1,234`, `123`, `12.3`, `1.23`, `0.01`, `0`. */
export function number(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const rounded = Number(value.toFixed(digits));
  return Number.isInteger(rounded) ? count(rounded) : rounded.toFixed(digits);
}

/** `12.3 ms`; `/s` has no space before it. */
export function quantity(value: number, unit: Unit): string {
  return `${number(value)}${unit === '' || unit === '/s' ? unit : ` ${unit}`}`;
}

const moreIsBetter = ({ unit }: Figure): boolean => unit === '/s';

/** The provider's cost as a multiple of the plain program's: `2.1×`; empty where that has no meaning. */
export function ratio(figure: Figure): string {
  const { value, plain } = figure;
  if (plain === undefined || plain === 0 || value === 0) return '';
  return `${number(moreIsBetter(figure) ? plain / value : value / plain)}×`;
}

/** Whether the rounded figure meets the target; undefined without a target. */
export function isMet(figure: Figure): boolean | undefined {
  const { value, target } = figure;
  if (target === undefined) return undefined;
  const shown = Number(number(value).replaceAll(',', ''));
  return moreIsBetter(figure) ? shown >= target : shown <= target;
}

/** `≤ 5, met`, or by how much it is missed: `≤ 5, missed by 20 %`. */
export function verdict(figure: Figure): string {
  const { value, target, unit } = figure;
  if (target === undefined) return '';
  const bound = `${moreIsBetter(figure) ? '≥' : '≤'} ${quantity(target, unit)}`;
  if (isMet(figure)) return `${bound}, met`;
  if (target === 0) return `${bound}, missed`;
  return `${bound}, missed by ${number(Math.abs(value / target - 1) * 100)} %`;
}

/** What a number is made of, the largest part first, each divided: `2 get secrets, 1 update samples`. */
export function breakdown(parts: Readonly<Record<string, number>>, divisor: number): string {
  const shown = Object.entries(parts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => [name, number(value / divisor)] as const)
    // What happened once or twice on the whole is of no weight.
    .filter(([, value]) => value !== '0')
    .map(([name, value]) => `${value} ${name}`);
  return shown.length === 0 ? 'none' : shown.join(', ');
}

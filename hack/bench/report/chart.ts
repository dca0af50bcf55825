/** A line chart as SVG text, small enough to be committed, for light and dark pages. */

export interface Series {
  readonly name: string;
  /** In the order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Chart {
  /** Of its file. Results of several measurements with the same name are one chart. */
  readonly name: string;
  readonly title: string;
  /** What an axis counts, with its unit. */
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
}

export type Scheme = 'light' | 'dark';
export const schemes: readonly Scheme[] = ['light', 'dark'];

const WIDTH = 640;
const HEIGHT = 300;
/** Left of it are the numbers of y, below it those of x. */
const AREA = { left: 56, right: 624, top: 44, bottom: 248 };
const TICKS = 5;
/** A curve has no more: the steps of thousands of objects cannot be told apart. */
const MAX_POINTS = 60;

/** Colours that can be told apart with every form of colour blindness, with a contrast of 3 at least. */
const colors: Readonly<
  Record<Scheme, { readonly text: string; readonly grid: string; readonly lines: readonly string[] }>
> = {
  light: { text: '#1f2328', grid: '#d1d9e0', lines: ['#0969da', '#bc4c00', '#1a7f37', '#6e7781'] },
  dark: { text: '#e6edf3', grid: '#3d444d', lines: ['#58a6ff', '#f0883e', '#3fb950', '#9198a1'] },
};

/** Charts of the same name as one: the points of series with the same name follow each other. */
export function mergeCharts(charts: readonly Chart[]): Chart[] {
  const byName = Map.groupBy(charts, ({ name }) => name);
  return [...byName.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const series = Map.groupBy(
      [first, ...others].flatMap((chart) => chart.series),
      ({ name }) => name,
    );
    const merged = [...series].map(([name, parts]) => ({
      name,
      points: parts.flatMap(({ points }) => points).sort(([a], [b]) => a - b),
    }));
    return [{ ...first, series: merged }];
  });
}

/** The times in s of each object, by the name of a line; NaN: never. */
export type ReadyTimes = Readonly<Record<string, readonly number[]>>;

/** How many objects are ready at each time. */
export const readyChart = (name: string, title: string, times: ReadyTimes): Chart => ({
  ...{ name, title: `${title}: ready over time`, x: 's', y: 'ready' },
  series: Object.entries(times).map(([line, of]) => readyOverTime(line, of)),
});

function readyOverTime(name: string, times: readonly number[]): Series {
  const sorted = times.filter(Number.isFinite).sort((a, b) => a - b);
  const all = sorted.map((time, index) => [time, index + 1] as const);
  const step = Math.max(1, Math.ceil(all.length / MAX_POINTS));
  const kept = all.filter((_, index) => (index + 1) % step === 0 || index === all.length - 1);
  return { name, points: [[0, 0], ...kept] };
}

export function renderChart({ title, x, y, series }: Chart, scheme: Scheme): string {
  const { text, grid, lines } = colors[scheme];
  const points = series.flatMap((each) => each.points);
  const xTicks = ticksTo(Math.max(0, ...points.map(([value]) => value)));
  const yTicks = ticksTo(Math.max(0, ...points.map(([, value]) => value)));
  const left = (value: number) => scaled(value, xTicks, AREA.left, AREA.right);
  const top = (value: number) => scaled(value, yTicks, AREA.bottom, AREA.top);
  const label = (at: readonly [number, number], content: string, how = '') =>
    `<text x="${at[0]}" y="${at[1]}"${how}>${escaped(content)}</text>`;
  const color = (index: number) => lines[index % lines.length];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${text}">`,
    `<title>${escaped(title)}</title>`,
    label([AREA.left, 18], title, ' font-size="14" font-weight="600"'),
    label([AREA.left, AREA.top - 10], y),
    label([AREA.right, HEIGHT - 34], x, ' text-anchor="end"'),
    ...yTicks.flatMap((value) => [
      `<path d="M${AREA.left} ${top(value)}H${AREA.right}" stroke="${grid}"/>`,
      label([AREA.left - 8, top(value) + 4], shown(value), ' text-anchor="end"'),
    ]),
    ...xTicks.map((value) => label([left(value), AREA.bottom + 16], shown(value), ' text-anchor="middle"')),
    ...series.flatMap(({ points: own }, index) => {
      const path = own.map(([px, py]) => `${left(px)} ${top(py)}`).join('L');
      const line = `<path d="M${path}" fill="none" stroke="${color(index)}" stroke-width="2"/>`;
      const isFew = own.length <= TICKS;
      const dots = own.map(
        ([px, py]) => `<circle cx="${left(px)}" cy="${top(py)}" r="3" fill="${color(index)}"/>`,
      );
      return [line, ...(isFew ? dots : [])];
    }),
    ...series.flatMap(({ name }, index) => {
      const at = AREA.left + (index * (AREA.right - AREA.left)) / series.length;
      return [
        `<path d="M${round(at)} ${HEIGHT - 12}h18" stroke="${color(index)}" stroke-width="2"/>`,
        label([round(at + 24), HEIGHT - 8], name),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** From 0 in steps of 1, 2 or 5 times a power of ten to `max` or a little more. */
function ticksTo(max: number): number[] {
  const rough = (max || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough) ?? rough;
  const count = Math.ceil((max || 1) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function scaled(value: number, ticks: readonly number[], from: number, to: number): number {
  return round(from + (value / (ticks.at(-1) ?? 1)) * (to - from));
}

const round = (value: number): number => Math.round(value * 10) / 10;
const shown = (value: number): string => value.toLocaleString('en-US');
const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

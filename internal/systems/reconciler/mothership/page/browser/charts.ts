/** Charts as SVG. Their captions have the same in words, so they are hidden from screen readers. */
import type { Schemas } from './api.ts';
import { durationWords, numberWords } from './words.ts';

type Bucket = Schemas['HistoryBucket'];

const SVG = 'http://www.w3.org/2000/svg';
/** In pixels, as texts are. The width is that of the place, so that texts are as large on narrow screens. */
const [MIN_WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [280, 180, 72, 22, 10];

export function shape(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, `${value}`);
  if (text !== undefined) made.textContent = text;
  return made;
}

const canvas = (width: number): SVGElement =>
  shape('svg', { class: 'chart', viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-hidden': 'true' });

const xOf = (index: number, count: number, width: number): number => LEFT + ((width - LEFT) * index) / count;
const yOf = (value: number, max: number): number => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * value) / max;

/** Times at the ends, and the largest value. */
function axes(
  buckets: readonly Bucket[],
  {
    max,
    width,
    words,
  }: { readonly max: number; readonly width: number; readonly words: (value: number) => string },
): SVGElement[] {
  const [first] = buckets;
  const last = buckets.at(-1);
  if (first === undefined || last === undefined) return [];
  const time = ({ start }: Bucket) =>
    new Date(start).toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' });
  return [
    shape('line', { class: 'axis', x1: LEFT, x2: width, y1: yOf(0, 1), y2: yOf(0, 1) }),
    shape('line', { class: 'grid', x1: LEFT, x2: width, y1: yOf(1, 1), y2: yOf(1, 1) }),
    shape('text', { x: LEFT - 6, y: yOf(1, 1) + 4, 'text-anchor': 'end' }, words(max)),
    shape('text', { x: LEFT - 6, y: yOf(0, 1), 'text-anchor': 'end' }, '0'),
    shape('text', { x: LEFT, y: HEIGHT - 4 }, time(first)),
    shape('text', { x: width, y: HEIGHT - 4, 'text-anchor': 'end' }, time(last)),
  ];
}

/** Runs by result, as stacked bars. */
export function runsChart(buckets: readonly Bucket[], place: number): SVGElement {
  const whole = Math.max(MIN_WIDTH, place);
  const max = Math.max(1, ...buckets.map(({ ready, failed, deleted }) => ready + failed + deleted));
  const chart = canvas(whole);
  chart.append(...axes(buckets, { max, width: whole, words: numberWords }));
  const width = Math.max(1, (whole - LEFT) / buckets.length - 1);
  for (const [index, { ready, failed, deleted }] of buckets.entries()) {
    let below = 0;
    for (const [count, look] of [
      [ready, 'good'],
      [deleted, 'off'],
      [failed, 'bad'],
    ] as const) {
      if (count === 0) continue;
      const top = yOf(below + count, max);
      chart.append(
        shape('rect', {
          class: look,
          x: xOf(index, buckets.length, whole),
          y: top,
          width,
          height: yOf(below, max) - top,
        }),
      );
      below += count;
    }
  }
  return chart;
}

/** Time to ready, as two lines with gaps where nothing ended. */
export function timesChart(buckets: readonly Bucket[], place: number): SVGElement {
  const width = Math.max(MIN_WIDTH, place);
  const max = Math.max(1, ...buckets.flatMap(({ p50 = 0, p95 = 0 }) => [p50, p95]));
  const chart = canvas(width);
  chart.append(...axes(buckets, { max, width, words: durationWords }));
  for (const [name, look] of [
    ['p50', 'good'],
    ['p95', 'waiting'],
  ] as const) {
    let path = '';
    for (const [index, bucket] of buckets.entries()) {
      const value = bucket[name];
      const from = buckets[index - 1]?.[name] === undefined ? 'M' : 'L';
      if (value === undefined) continue;
      path += `${from}${(xOf(index, buckets.length, width) + 2).toFixed(1)},${yOf(value, max).toFixed(1)}h2`;
    }
    chart.append(shape('path', { class: `line ${look}`, d: path }));
  }
  return chart;
}

/** A part of a whole, and a failing part of that. */
export function bar(whole: number, count: number, failed: number): SVGElement {
  const made = shape('svg', {
    class: 'bar',
    viewBox: '0 0 100 1',
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  const width = (100 * count) / Math.max(1, whole);
  const bad = (100 * failed) / Math.max(1, whole);
  made.append(
    shape('rect', { class: 'back', width: 100, height: 1 }),
    shape('rect', { class: 'good', width, height: 1 }),
    shape('rect', { class: 'bad', width: bad, height: 1 }),
  );
  return made;
}

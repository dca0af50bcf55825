/** Series of gauges, one for each object. */

import { cutText, type Gauge } from '../../framework/base/index.ts';
import { OTHER } from '../../framework/base/telemetry/bounded-label.ts';

/** In characters: a label is kept in memory, and sent with each scrape. */
const MAX_LABEL = 256;

export const labelText = (text: string): string => cutText(text, MAX_LABEL);

export type LabelValues = Readonly<Record<string, string>>;

/** Objects with a series of their own: their users choose names and messages. */
const MAX_OBJECTS = 20_000;

/** One series for each object, replaced when its labels change. All objects beyond the limit share one, whose value is their number. */
export interface ObjectSeries {
  set(key: string, labels: LabelValues, value: number): void;
  remove(key: string): void;
  clear(): void;
}

export function objectSeries(gauge: Gauge, max = MAX_OBJECTS): ObjectSeries {
  const shown = new Map<string, LabelValues>();
  const others = new Set<string>();
  let labelsOfOthers: LabelValues = {};
  const countOthers = () => {
    if (others.size > 0) gauge.set(others.size, labelsOfOthers);
    else gauge.remove(labelsOfOthers);
  };
  const remove = (key: string) => {
    if (others.delete(key)) countOthers();
    const labels = shown.get(key);
    if (labels !== undefined) gauge.remove(labels);
    shown.delete(key);
  };
  return {
    remove,
    set: (key, labels, value) => {
      remove(key);
      if (shown.size < max) {
        shown.set(key, labels);
        gauge.set(value, labels);
        return;
      }
      labelsOfOthers = Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]));
      others.add(key);
      countOthers();
    },
    clear: () => {
      for (const key of [...shown.keys(), ...others]) remove(key);
    },
  };
}

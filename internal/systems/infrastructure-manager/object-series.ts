/** Series of gauges, one for each object. */
import type { Gauge } from '../../framework/base/telemetry/metrics.ts';
import { cutText } from '../../framework/base/text/text.ts';

/** In characters: a label is kept in memory, and sent with each scrape. */
const MAX_LABEL = 256;

export const labelText = (text: string): string => cutText(text, MAX_LABEL);

export type LabelValues = Readonly<Record<string, string>>;

/** One series for each object, replaced when its labels change. */
export interface ObjectSeries {
  set(key: string, labels: LabelValues, value: number): void;
  remove(key: string): void;
  clear(): void;
}

export function objectSeries(gauge: Gauge): ObjectSeries {
  const shown = new Map<string, LabelValues>();
  const remove = (key: string) => {
    const labels = shown.get(key);
    if (labels !== undefined) gauge.remove(labels);
    shown.delete(key);
  };
  return {
    remove,
    set: (key, labels, value) => {
      remove(key);
      shown.set(key, labels);
      gauge.set(value, labels);
    },
    clear: () => {
      for (const key of [...shown.keys()]) remove(key);
    },
  };
}

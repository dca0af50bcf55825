import { setImmediate } from 'node:timers/promises';
import { createBreather } from '../../../base/concurrency/breather.ts';
import type { Deps } from '../../../base/deps.ts';
import { ProviderError } from '../../../base/errors/errors.ts';
import { createWorkerPool } from '../../../process/index.ts';
import type { ChartOptions } from '../../model/charts.ts';
import type { Manifest, ManifestObject } from '../../model/manifest.ts';
import type { YamlAnswer, YamlJob, YamlText } from './yaml-thread.ts';

/** Reads YAML outside of the event loop. */
export interface YamlReader {
  /**
   * The objects of texts, in their order.
   *
   * @throws errors of kind `terminal` with file and line for a document that cannot be parsed or is no object of Kubernetes
   */
  objectsOf(texts: readonly YamlText[], options: ChartOptions): Promise<Manifest>;
  /** The value of a text with one document; null if there is none. Throws the errors of `objectsOf`. */
  valueOf(text: YamlText, options: ChartOptions): Promise<unknown>;
  close(): Promise<void>;
}

/** For all documents of a chart: its objects, or its values. */
const DEADLINE_MS = 35_000;
const HEAP_MB = 384;
const MAX_RESULT_BYTES = 48 * 1024 * 1024;

/** Of JSON whose parsing takes a turn of its own, in characters. */
const LARGE = 256 * 1024;

/** The thread ends when there is nothing to do. */
export function createYamlReader({ clock }: Pick<Deps, 'clock'>): YamlReader {
  const pool = createWorkerPool<YamlJob, YamlAnswer>({
    clock,
    name: 'YAML of charts',
    entry: async () => (await import('./yaml-thread.ts')).url,
    deadlineMs: DEADLINE_MS,
    heapMb: HEAP_MB,
    maxResultBytes: MAX_RESULT_BYTES,
  });
  const read = async (job: YamlJob, { group, signal }: ChartOptions) => {
    const answer = await pool.run(job, { group, signal });
    if ('values' in answer) return answer.values;
    throw new ProviderError(answer.refused.kind, answer.refused.message);
  };
  return {
    objectsOf: async (texts, options) => {
      if (texts.length === 0) return [];
      const breathe = createBreather(clock);
      const objects: ManifestObject[] = [];
      for (const { source, json } of await read({ read: 'objects', texts }, options)) {
        if (json.length > LARGE) await setImmediate();
        objects.push({ source, object: JSON.parse(json) });
        await breathe();
      }
      return objects;
    },
    valueOf: async (text, options) => {
      const [value] = await read({ read: 'value', text }, options);
      return value === undefined ? null : JSON.parse(value.json);
    },
    close: () => pool.close(),
  };
}

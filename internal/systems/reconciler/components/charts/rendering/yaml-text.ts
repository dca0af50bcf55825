import { systemClock } from '../../../../../framework/base/index.ts';

import {
  type Budget,
  createBudget,
  GoMap,
  GoSlice,
  TemplateLimitError,
  type TemplateLimits,
  type Value,
} from '../../../../../templates/gotemplate/index.ts';
import { YamlError } from '../../../../../templates/helm/yaml/cursor.ts';
import { decodeYaml } from '../../../../../templates/helm/yaml/decode.ts';
import { SourceError } from '../sources/chart-source.ts';

/** The largest CRDs have 1 MB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Of a text that the event loop reads: what users of a cluster wrote there. Some milliseconds. */
const EVENT_LOOP_LIMITS: TemplateLimits = {
  sourceBytes: 64 * 1024,
  outputBytes: 0,
  memoryBytes: 4 * 1024 * 1024,
  steps: 10_000,
  timeMs: 10_000,
  depth: 64,
};

/**
 * The value of one document as Helm reads it: scalars are resolved as the YAML library of Go does.
 *
 * @param source the file, for messages
 * @param firstLine the line of the file where the text begins; default 1
 * @param budget of the process of a job, which all of its texts are charged to. Default: what the event loop may read at once
 * @throws SourceError with file and line if it cannot be parsed
 */
export function parseYamlText(text: string, source: string, firstLine = 1, budget?: Budget): unknown {
  const maxBytes = budget === undefined ? EVENT_LOOP_LIMITS.sourceBytes : MAX_BYTES;
  if (text.length > maxBytes) throw invalid(source, firstLine, `it has more than ${maxBytes} bytes`);
  try {
    return plain(decodeYaml(text, budget ?? createBudget(EVENT_LOOP_LIMITS, systemClock)));
  } catch (error) {
    if (error instanceof TemplateLimitError) {
      throw new SourceError(error.kind, `${source}:${firstLine}: ${error.message}`);
    }
    if (!(error instanceof YamlError)) throw error;
    const [, line = '1', problem = error.message] =
      /^yaml: (?:line (\d+): )?(.*)$/s.exec(error.message) ?? [];
    throw invalid(source, firstLine - 1 + Number(line), problem);
  }
}

export const invalid = (source: string, line: number, why: string): SourceError =>
  new SourceError('terminal', `${source}:${line}: ${why}`);

/** JSON values. Bytes that are not UTF-8 become U+FFFD. */
function plain(value: Value): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (value instanceof GoSlice) return value.items.map(plain);
  if (!(value instanceof GoMap)) return value;
  return Object.fromEntries(
    [...value.entries].map(([key, item]) => [String(key).toWellFormed(), plain(item)]),
  );
}

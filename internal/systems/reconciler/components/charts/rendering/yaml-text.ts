import { systemClock } from '../../../../../framework/base/time/clock.ts';
import {
  type Budget,
  createBudget,
  GoMap,
  GoSlice,
  TemplateLimitError,
  type TemplateLimits,
  type Value,
} from '../../../../../templates/gotemplate/index.ts';
import { decodeYaml } from '../../../../../templates/helm/yaml/decode.ts';
import { YamlError } from '../../../../../templates/helm/yaml/yaml-error.ts';
import { SourceError } from '../sources/model/source-error.ts';

/** The largest CRDs have 1 MB. */
const LIMITS: TemplateLimits = {
  sourceBytes: 8 * 1024 * 1024,
  outputBytes: 0,
  memoryBytes: 256 * 1024 * 1024,
  steps: 5_000_000,
  timeMs: 10_000,
  depth: 1000,
};

/**
 * The value of one document as Helm reads it: scalars are resolved as the YAML library of Go does.
 *
 * @param source the file, for messages
 * @param firstLine the line of the file where the text begins; default 1
 * @param budget what it is charged to. Default: one for this text alone
 * @throws SourceError with file and line if it cannot be parsed
 */
export function parseYamlText(
  text: string,
  source: string,
  firstLine = 1,
  budget: Budget = createBudget(LIMITS, systemClock),
): unknown {
  if (text.length > LIMITS.sourceBytes)
    throw invalid(source, firstLine, `it has more than ${LIMITS.sourceBytes} bytes`);
  try {
    return plain(decodeYaml(text, budget));
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

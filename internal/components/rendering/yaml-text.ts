import { parseDocument, type Tags } from 'yaml';
import { isDeeperThan, type YamlLimits, yamlExcess } from '../../base/configuration/yaml-limits.ts';
import { SourceError } from '../sources/model/source-error.ts';

/** The largest CRDs have 1 MB and 100,000 tokens of the lexer. */
const LIMITS: YamlLimits = {
  maxBytes: 8 * 1024 * 1024,
  maxDepth: 100,
  maxTokens: 2_000_000,
  maxAnchors: 1000,
};
const MAX_ALIASES = 1000;

/**
 * The value of one document.
 *
 * @param source the file, for messages
 * @param firstLine the line of the file where the text begins; default 1
 * @throws SourceError with file and line if it cannot be parsed
 */
export function parseYamlText(text: string, source: string, firstLine = 1): unknown {
  const excess = yamlExcess(text, LIMITS);
  if (excess !== undefined) throw invalid(source, firstLine, `it has too many ${excess}`);
  // Go's library resolves numbers and booleans as YAML 1.1 does, but neither times nor numbers of base 60.
  const customTags = (tags: Tags): Tags =>
    tags.filter(
      (tag) =>
        typeof tag === 'string' || (tag.format !== 'TIME' && tag.tag !== 'tag:yaml.org,2002:timestamp'),
    );
  const document = parseDocument(text, { version: '1.1', customTags, uniqueKeys: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = firstLine - 1 + (error.linePos?.[0].line ?? 1);
    throw invalid(source, line, error.message.split(/ at line |\n/, 1)[0] ?? 'invalid YAML');
  }
  if (isDeeperThan(document.contents, LIMITS.maxDepth))
    throw invalid(source, firstLine, 'it is nested too deeply');
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw invalid(source, firstLine, 'it has too many aliases');
  }
}

export const invalid = (source: string, line: number, why: string): SourceError =>
  new SourceError('terminal', `${source}:${line}: ${why}`);

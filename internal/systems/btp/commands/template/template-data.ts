import { parseDocument } from 'yaml';
import {
  isDeeperThan,
  type YamlLimits,
  yamlExcess,
} from '../../../../framework/base/configuration/yaml-limits.ts';
import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import { isObject } from '../../../../framework/base/json/json-field.ts';
import {
  dict,
  fromJson,
  fromOutside,
  stringMap,
  type Value,
} from '../../../../templates/gotemplate/index.ts';

const limits: YamlLimits = { maxBytes: 2 ** 20, maxDepth: 64, maxTokens: 200_000, maxAnchors: 100 };

const EXCESS = { bytes: 'bytes', depth: 'levels', tokens: 'tokens', anchors: 'anchors and aliases' } as const;

/**
 * The data of a template from JSON or YAML, with the types that it has for a binding: the members of `instance` are texts,
 * as in map[string]string; all else is as in JSON.
 *
 * @param file for errors, which quote nothing of the text
 */
export function parseTemplateData(text: string, file: string): Value {
  const root = parseYaml(text, file) ?? {};
  if (!isObject(root)) throw refusal(file, 'it is not a mapping with credentials and instance');
  const members = Object.entries({ credentials: {}, instance: {}, ...root });
  return dict(members.map(([key, value]) => [fromOutside(key), memberOf(key, value, file)]));
}

function memberOf(key: string, value: unknown, file: string): Value {
  if (key !== 'instance') return fromJson(value);
  const texts = isObject(value) ? Object.entries(value) : undefined;
  if (!texts) throw refusal(file, 'instance is not a mapping');
  return stringMap(
    texts.map(([name, text]) => {
      if (typeof text !== 'string') throw refusal(file, `instance.${name} is not a text`);
      return [fromOutside(name), fromOutside(text)];
    }),
  );
}

function parseYaml(text: string, file: string): unknown {
  const excess = yamlExcess(text, limits);
  if (excess !== undefined) throw refusal(file, `it has too many ${EXCESS[excess]}`);
  const document = parseDocument(text, { logLevel: 'silent', uniqueKeys: false, prettyErrors: false });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw refusal(file, `it is not valid YAML (${mistake.code})`);
  if (isDeeperThan(document.contents, limits.maxDepth)) throw refusal(file, 'it has too many levels');
  try {
    return document.toJS({ maxAliasCount: limits.maxAnchors });
  } catch {
    // The error of the library quotes the alias.
    throw refusal(file, 'it has an alias without an anchor, or too many aliases');
  }
}

const refusal = (file: string, problem: string): ProviderError =>
  new ProviderError('terminal', `cannot read ${file}: ${problem}`);

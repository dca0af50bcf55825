import { parseDocument } from 'yaml';
import {
  isDeeperThan,
  type YamlLimits,
  yamlExcess,
} from '../../../../../framework/base/configuration/yaml-limits.ts';
import { isObject } from '../../../../../framework/base/json/json-field.ts';

/** Mappings, sequences, texts and null. Texts are as written: `0123` and `yes` as well. */
export type YamlMapping = Readonly<Record<string, unknown>>;

const limits: YamlLimits = { maxBytes: 2 ** 20, maxDepth: 32, maxTokens: 200_000, maxAnchors: 100 };

const excessTexts = {
  bytes: `it has more than ${limits.maxBytes} bytes`,
  depth: `it is nested deeper than ${limits.maxDepth} levels`,
  tokens: `it has more than ${limits.maxTokens} tokens`,
  anchors: `it has more than ${limits.maxAnchors} anchors and aliases`,
};

/**
 * The one document of an untrusted YAML text; an empty one is an empty mapping. Of equal keys the last one counts.
 *
 * @returns a text if it is not a mapping: why. It quotes nothing, since the YAML has credentials.
 */
export function parseYamlMapping(text: string): YamlMapping | string {
  if (!text.isWellFormed()) return 'it is not valid UTF-8';
  const excess = yamlExcess(text, limits);
  if (excess !== undefined) return excessTexts[excess];
  // Warnings of the parser quote the text. With `silent` a second document is no error. The check for equal keys does not
  // take linear time.
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: ['null'],
    merge: true,
    logLevel: 'error',
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [error = document.warnings[0]] = document.errors;
  if (error !== undefined) return `${placeOf(text, error.pos[0])}: ${reasonOf(error.code)}`;
  if (isDeeperThan(document.contents, limits.maxDepth)) return excessTexts.depth;
  const value = contentOf(document);
  if (typeof value === 'string') return value;
  return value.root === null ? {} : isObject(value.root) ? value.root : 'it is not a mapping';
}

function contentOf(document: ReturnType<typeof parseDocument>): { readonly root: unknown } | string {
  try {
    const root: unknown = document.toJS({ maxAliasCount: limits.maxAnchors });
    return { root };
  } catch {
    return 'an alias has no anchor, or aliases of aliases make it too large';
  }
}

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** The messages of the parser quote the text; its codes do not. */
function reasonOf(code: string): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'a second document';
    case 'TAG_RESOLVE_FAILED':
      return 'an unknown tag';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a mapping within a line; quote values that contain ": "';
    default:
      return code.toLowerCase().replaceAll('_', ' ');
  }
}

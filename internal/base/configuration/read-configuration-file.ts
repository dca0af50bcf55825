import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { messageOf } from '../errors/errors.ts';
import { ConfigurationError } from './configuration-error.ts';
import { ConfigurationNode } from './configuration-node.ts';
import { isDeeperThan, type YamlLimits, yamlExcess } from './yaml-limits.ts';

const LIMITS: YamlLimits = { maxBytes: 2 ** 20, maxDepth: 32, maxTokens: 200_000, maxAnchors: 0 };

const EXCESS = {
  bytes: `it has more than ${LIMITS.maxBytes} bytes`,
  depth: `it is nested deeper than ${LIMITS.maxDepth} levels`,
  tokens: `it has more than ${LIMITS.maxTokens} tokens`,
  anchors: 'it has anchors or aliases',
} as const;

export interface ConfigurationSyntax {
  /** `json` (default): texts without quotes are errors. `core`: any YAML 1.2. */
  readonly schema?: 'json' | 'core';
  /** Whether names of members are compared without case. Default false. */
  readonly ignoresCase?: boolean;
}

/** The value in a file of JSON, or of YAML, which JSON is a part of. @throws ConfigurationError */
export async function readConfigurationFile(
  path: string,
  syntax: ConfigurationSyntax = {},
): Promise<ConfigurationNode> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigurationError(path, messageOf(error));
  });
  return parseConfiguration(text, path, syntax);
}

/** @param path for errors @throws ConfigurationError */
export function parseConfiguration(
  text: string,
  path: string,
  { schema = 'json', ignoresCase = false }: ConfigurationSyntax = {},
): ConfigurationNode {
  const excess = yamlExcess(text, LIMITS);
  if (excess !== undefined) throw new ConfigurationError(path, EXCESS[excess]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    logLevel: 'silent',
    // The texts of errors take quadratic time, and so does the check for repeated keys.
    prettyErrors: false,
    uniqueKeys: false,
    schema,
  });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    throw new ConfigurationError(
      { file: path, line, column: col },
      `it is neither JSON nor YAML (${mistake.code})`,
    );
  }
  if (isDeeperThan(document.contents, LIMITS.maxDepth)) throw new ConfigurationError(path, EXCESS.depth);
  const root = new ConfigurationNode({ path, lines, ignoresCase, known: new Map() }, document.contents);
  if (root.entries().length === 0) root.fail('it is empty');
  return root;
}

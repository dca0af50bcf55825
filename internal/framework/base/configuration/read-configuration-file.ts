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
  /** Whether names of members are compared without case. Default false. */
  readonly ignoresCase?: boolean;
}

/** The value in a file of YAML 1.2, which JSON is a part of. @throws ConfigurationError */
export async function readConfigurationFile(
  path: string,
  syntax: ConfigurationSyntax = {},
): Promise<ConfigurationNode> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw ConfigurationError.unreadable(path, messageOf(error), { cause: error });
  });
  return parseConfiguration(text, path, syntax);
}

/** A file without any value. @param path for errors */
export const emptyConfiguration = (path: string): ConfigurationNode =>
  new ConfigurationNode({ path, lines: new LineCounter(), known: new Map() }, undefined);

/** @param path for errors @throws ConfigurationError */
export function parseConfiguration(
  text: string,
  path: string,
  { ignoresCase = false }: ConfigurationSyntax = {},
): ConfigurationNode {
  const excess = yamlExcess(text, LIMITS);
  if (excess !== undefined) throw ConfigurationError.unreadable(path, EXCESS[excess]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    logLevel: 'silent',
    // The texts of errors take quadratic time and may quote a password; the check for repeated keys takes quadratic time too.
    prettyErrors: false,
    uniqueKeys: false,
    // Texts need no quotes, as people write YAML.
    schema: 'core',
  });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    throw ConfigurationError.at(
      { file: path, line, column: col },
      `it is not valid YAML or JSON (${mistake.code})`,
    );
  }
  if (isDeeperThan(document.contents, LIMITS.maxDepth))
    throw ConfigurationError.unreadable(path, EXCESS.depth);
  const root = new ConfigurationNode({ path, lines, ignoresCase, known: new Map() }, document.contents);
  if (root.entries().length === 0) root.fail('it is empty');
  return root;
}

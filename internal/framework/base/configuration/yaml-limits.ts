import { CST, isCollection, isPair, Lexer, type ParsedNode } from 'yaml';

/** Limits of a YAML text, checked before it is parsed. */
export interface YamlLimits {
  readonly maxBytes: number;
  /** Nested collections. */
  readonly maxDepth: number;
  /** Tokens of the lexer: each scalar, indicator, space and line break is one. */
  readonly maxTokens: number;
  /** Anchors and aliases together: each alias is searched for among all nodes. */
  readonly maxAnchors: number;
}

/** The limit that a text exceeds. */
export type YamlExcess = 'bytes' | 'depth' | 'tokens' | 'anchors';

/**
 * Checks the limits without parsing. The lexer is linear and stops at the limit; the parser and the composer, which are
 * slow and recursive for deep nesting, get only texts within the limits.
 */
export function yamlExcess(text: string, limits: YamlLimits): YamlExcess | undefined {
  const { maxBytes, maxDepth, maxTokens, maxAnchors } = limits;
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) return 'bytes';
  let tokens = 0;
  let depth = 0;
  let anchors = 0;
  let inScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) return 'tokens';
    // The marker of a plain scalar precedes it.
    const type = inScalar ? undefined : CST.tokenType(token);
    inScalar = token === CST.SCALAR;
    if ((type === 'anchor' || type === 'alias') && ++anchors > maxAnchors) return 'anchors';
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth++;
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth--;
    if (depth > maxDepth) return 'depth';
  }
  return undefined;
}

/** Whether collections in block or flow style are nested deeper than `maxDepth`. */
export function isDeeperThan(node: ParsedNode | null, maxDepth: number): boolean {
  if (!isCollection(node)) return false;
  if (maxDepth === 0) return true;
  return node.items.some((item) =>
    isPair<ParsedNode, ParsedNode | null>(item)
      ? isDeeperThan(item.key, maxDepth - 1) || isDeeperThan(item.value, maxDepth - 1)
      : isDeeperThan(item, maxDepth - 1),
  );
}

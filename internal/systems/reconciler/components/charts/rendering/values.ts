import { isObject } from '../../../../../framework/base/index.ts';

import { keyProblem } from '../../../operations/json-documents.ts';
import { SourceError } from '../sources/chart-source.ts';

/** Values of a chart, as JSON. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Nested values for dotted keys: `{ 'a.b': 1 }` becomes `{ a: { b: 1 } }`. Keys are applied in their order by code units, so
 * `a.b` replaces what `a` has at `b`, and the result does not depend on the order of the request. Maps below a key are merged.
 *
 * @throws SourceError for a key that has too many segments
 */
export function nestedValues(configuration: Values): Values {
  const root: Node = new Map();
  for (const key of Object.keys(configuration).sort()) {
    const problem = keyProblem(key);
    if (problem !== undefined) throw new SourceError('terminal', `a key of the configuration: ${problem}`);
    const path = key.split('.');
    const last = path.pop() ?? '';
    let node = root;
    for (const segment of path) node = childOf(node, segment);
    put(node, last, configuration[key]);
  }
  return valuesOfNode(root);
}

/** A map that is being made: each key is visited once for each of its segments, however many keys there are. */
type Node = Map<string, unknown>;

/** The map at the key; one is made of an object, and in place of anything else. */
function childOf(node: Node, key: string): Node {
  const found = node.get(key);
  if (found instanceof Map) return found;
  const child: Node = new Map(isObject(found) ? Object.entries(found) : []);
  node.set(key, child);
  return child;
}

/** Maps are merged, all else replaces what is there. */
function put(node: Node, key: string, value: unknown): void {
  const found = node.get(key);
  if (!isObject(value) || !isObject(found)) {
    node.set(key, value);
    return;
  }
  const child = childOf(node, key);
  for (const [name, item] of Object.entries(value)) put(child, name, item);
}

const valuesOfNode = (node: Node): Values =>
  record([...node].map(([key, value]) => [key, value instanceof Map ? valuesOfNode(value) : value]));

/** Maps are merged, all else of `over` replaces what `base` has. Neither is changed. */
export function mergedValues(base: Values, over: Values): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = merged.get(key);
    merged.set(key, isObject(before) && isObject(value) ? mergedValues(before, value) : value);
  }
  return record(merged);
}

/** Own members only, so that a key `__proto__` is a key like others. */
const record = (entries: Iterable<readonly [string, unknown]>): Values => Object.fromEntries(entries);

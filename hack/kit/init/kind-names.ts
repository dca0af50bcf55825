/** Names of kinds, by the paths of their collections. */
import { wordsOf } from '../document/structural-schema.ts';
import type { Collection } from './collections.ts';

const RESERVED = ['ProviderConfig', 'ClusterProviderConfig', 'ProviderConfigUsage'];

/** By key of the collection. One whose own word is taken has the words around it in front. */
export function kindNames(collections: readonly Collection[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(RESERVED);
  for (const { key, nouns } of collections) {
    const words = nouns.map((noun) =>
      wordsOf(noun)
        .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
        .join(''),
    );
    const longer = words.map((_, index) => words.slice(words.length - 1 - index).join(''));
    const whole = longer.at(-1) ?? 'Object';
    const numbered = Array.from({ length: collections.length + 1 }, (_, index) => `${whole}${index + 2}`);
    const name = [...longer, whole, ...numbered].find(
      (each) => /^[A-Z]/.test(each) && each.length <= 60 && !taken.has(each),
    );
    const kind = name ?? `Object${taken.size}`;
    taken.add(kind);
    names.set(key, kind);
  }
  return names;
}

/** `policy` → `policies`. */
export function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|z)$/.test(name) ? `${name}es` : `${name}s`;
}

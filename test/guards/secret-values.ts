/** What in a Secret is secret: neither what says which it is, nor what is public. */
import type { Secret } from '../../internal/framework/kube/object/object.ts';

/** Characters; tests have no values that occur by chance if they are longer. */
export const SHORTEST = 10;
/** Members of credentials that say which they are, or are public. */
const PUBLIC_NAME =
  /(url|uri|host|endpoint|domain|name|user|id|type|mode|zone|tags|cert\w*|crt|ca|metadata|plan|offering)$/i;
const PUBLIC_VALUE = /^(https?:\/\/|[\da-f]{8}-[\da-f]{4}-|-----BEGIN CERTIFICATE)/i;
const IN_KUBECONFIG = /^\s*(?:token|client-key-data|password): *["']?([^\s"']+)/gm;

/** Of which a Secret consists. */
export interface SecretValue {
  /** `key password` */
  readonly name: string;
  readonly value: string;
}

/** The parts of the data of a Secret that are secret. */
export function secretValues(secret: Secret | undefined): readonly SecretValue[] {
  return decodedEntries(secret).flatMap(([key, text]) =>
    valuesOf(key, text)
      .filter((value) => value.length >= SHORTEST && !PUBLIC_VALUE.test(value))
      .map((value) => ({ name: `key ${key}`, value })),
  );
}

/** The decoded data, and what was given as text. */
export function decodedEntries(secret: Secret | undefined): readonly (readonly [string, string])[] {
  const { data, stringData } = (secret ?? {}) as { readonly data?: object; readonly stringData?: object };
  const encoded = Object.entries(data ?? {}).map(([key, text]) => [key, decoded(text)] as const);
  return [...encoded, ...Object.entries(stringData ?? {}).map(([key, text]) => [key, String(text)] as const)];
}

const decoded = (text: unknown) => (typeof text === 'string' ? Buffer.from(text, 'base64').toString() : '');

/** The parts of a value that are secret. */
function valuesOf(name: string, value: string): readonly string[] {
  if (value.startsWith('{')) {
    try {
      return leavesOf(name, JSON.parse(value));
    } catch {
      // A text that begins with a brace.
    }
  }
  if (/^kind: Config$/m.test(value)) return [...value.matchAll(IN_KUBECONFIG)].map(([, text = '']) => text);
  return PUBLIC_NAME.test(name) ? [] : [value];
}

function leavesOf(name: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return PUBLIC_NAME.test(name) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, each]) =>
    leavesOf(Array.isArray(value) ? name : member, each),
  );
}

/**
 * What a registration may hold, for each way to send it: clients of the REST API, a KymaCluster, and the task that a component
 * reconciler gets. `apis/reconciler/external.openapi.yaml` and the CRD say the same numbers, which a test compares.
 */

/** A text in a document. Control characters are in none of them. */
export interface TextBound {
  /** In characters (UTF-16 code units). */
  readonly maxLength: number;
  /** Beside the length; default: any text. */
  readonly pattern?: RegExp;
  /** What the pattern means, for messages. */
  readonly wanted?: string;
}

/** Names are parts of paths, of file names and of names on the cluster. */
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

export const bounds = {
  /** It is part of other ids, which the tables of the Go program hold in 255 characters. */
  runtimeID: { maxLength: 200 },
  name: { maxLength: 256 },
  description: { maxLength: 4096 },
  metadata: { maxLength: 256 },
  version: { maxLength: 256 },
  profile: { maxLength: 256 },
  administrator: { maxLength: 256 },
  component: { maxLength: 253, pattern: NAME, wanted: 'a name of letters, digits, -, _ and .' },
  namespace: {
    maxLength: 63,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    wanted: 'the name of a namespace',
  },
  url: { maxLength: 2048 },
  key: { maxLength: 1024 },
  /** Of two ids of a run, each of which may have a runtimeID in it. */
  correlationID: { maxLength: 1024 },
} as const satisfies Record<string, TextBound>;

/** Most entries of a list. */
export const counts = { components: 256, administrators: 1000, configuration: 1000 } as const;

/** Segments of a key of a configuration: the levels of the value that it makes. */
const MAX_KEY_LEVELS = 64;

/** Why a text is not within its bound, as `want …`; undefined: it is. */
export function textProblem(text: string, { maxLength, pattern, wanted }: TextBound): string | undefined {
  if (text.length > maxLength) return `want at most ${maxLength} characters`;
  if (/\p{Cc}/u.test(text)) return 'want no control characters';
  return pattern === undefined || pattern.test(text) ? undefined : `want ${wanted}`;
}

/** Why a text is no key of a configuration, as `want …`; undefined: it is one. */
export function keyProblem(key: string): string | undefined {
  const problem = textProblem(key, bounds.key);
  if (problem !== undefined) return problem;
  // Counted without a list of the segments.
  const levels = key.split('.', MAX_KEY_LEVELS + 1).length;
  return levels > MAX_KEY_LEVELS ? `want at most ${MAX_KEY_LEVELS} segments` : undefined;
}

/**
 * Finds secrets in the output of a program: logs, events, metrics, the database of an API server. It finds them raw, in
 * base64 at any offset, and escaped for URLs and JSON. It shares no code with what is scanned.
 */

export interface Secret {
  /** How findings name it. */
  readonly name: string;
  /** Of a PEM block each long line counts alone, since a part may leak. */
  readonly value: string;
}

export interface Leak {
  readonly where: string;
  readonly secret: string;
  readonly form: string;
}

/** Names the secrets in `content`, each form of each once, without the secret itself. */
export type SecretScanner = (where: string, content: string | Uint8Array) => Leak[];

const SHORTEST = 16;

/**
 * @param shortest length of a secret, and of a line that counts
 * @throws if a secret is shorter: it may occur by chance
 */
export function createSecretScanner(secrets: readonly Secret[], shortest = SHORTEST): SecretScanner {
  const needles = secrets.flatMap(({ name, value }) =>
    partsOf(value, shortest).flatMap((part) =>
      formsOf(part).map(({ form, text }) => ({ secret: name, form, text })),
    ),
  );
  return (where, content) => {
    const haystack = Buffer.from(content).toString('latin1');
    const found = needles.filter(({ text }) => haystack.includes(text));
    const keys = new Map(found.map(({ secret, form }) => [`${secret} ${form}`, { where, secret, form }]));
    return [...keys.values()];
  };
}

function partsOf(value: string, shortest: number): string[] {
  if (value.length < shortest) throw new Error('a secret this short would be found everywhere');
  const lines = value.split('\n').filter((line) => line.length >= shortest && !line.startsWith('-----'));
  return value.includes('\n') ? lines : [value];
}

/** As base64 writes `secret` when 0, 1 or 2 bytes more than a multiple of three stand before it. */
export const alignments = [0, 1, 2] as const;

function formsOf(secret: string): { form: string; text: string }[] {
  const encoded = alignments.flatMap((offset) => {
    const text = base64Within(Buffer.from(secret), offset);
    const urlSafe = text.replaceAll('+', '-').replaceAll('/', '_');
    return [
      { form: `base64 at ${offset}`, text },
      { form: `base64url at ${offset}`, text: urlSafe },
    ].slice(0, urlSafe === text ? 1 : 2);
  });
  const raw = { form: 'raw', text: Buffer.from(secret).toString('latin1') };
  const escaped = [
    { form: 'URL', text: encodeURIComponent(secret) },
    { form: 'JSON', text: JSON.stringify(secret).slice(1, -1) },
  ].filter(({ text }) => text !== secret);
  return [raw, ...encoded, ...escaped];
}

/** The characters that depend on these bytes alone: each stands for six bits, and the first and last may be shared. */
function base64Within(bytes: Buffer, offset: number): string {
  const all = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return all.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

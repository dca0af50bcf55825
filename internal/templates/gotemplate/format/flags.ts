/** What stands between `%` and the verb. */
export interface Flags {
  /** Undefined: none. */
  width: number | undefined;
  /** Undefined: none. */
  precision: number | undefined;
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%+v`, in which plus means something else. */
  plusV: boolean;
  /** `%#v`: Go syntax. */
  sharpV: boolean;
}

export const noFlags = (): Flags => ({
  width: undefined,
  precision: undefined,
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
});

/** Pads to the width, which counts characters: with zeros only on the left. */
export function pad(text: string, flags: Flags): string {
  const missing = (flags.width ?? 0) - countRunes(text);
  if (missing <= 0) return text;
  if (flags.minus) return text + ' '.repeat(missing);
  return (flags.zero ? '0' : ' ').repeat(missing) + text;
}

/** Pads with spaces, for texts that have their zeros already. */
export const padWithSpaces = (text: string, flags: Flags): string =>
  pad(text, flags.zero ? { ...flags, zero: false } : flags);

function countRunes(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) at++;
    count++;
  }
  return count;
}

import { toBytes } from '../../values/text.ts';

/** Quoted as package time does it: bytes that are not printable ASCII as `\xNN`. */
export function quoteTime(text: string): string {
  let quoted = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `"${quoted}"`;
}

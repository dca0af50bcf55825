import { fromBytes, toBytes } from '../../values/text.ts';
import { Failure } from '../call/failure.ts';

/** The parts of a URL, which escape different characters. */
export type UrlPart = 'path' | 'user' | 'fragment' | 'host' | 'zone';

/** Characters that are not escaped, beside letters, digits and `-_.~`. */
const LITERAL: Readonly<Record<UrlPart, string>> = {
  path: '$&+,/:;=@',
  user: '$&+,;=',
  fragment: '$&+,/:;=?@!()*',
  host: '!$&\'()*+,;=:[]<>"',
  zone: '!$&\'()*+,;=:[]<>"',
};

const isLiteral = (char: string, part: UrlPart): boolean =>
  /^[A-Za-z0-9_.~-]$/.test(char) || LITERAL[part].includes(char);

export function escapeUrl(text: string, part: UrlPart): string {
  let escaped = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    const code = byte.toString(16).toUpperCase().padStart(2, '0');
    escaped += isLiteral(char, part) ? char : `%${code}`;
  }
  return escaped;
}

/** @throws Failure for escapes that are none, and for characters that a host cannot have */
export function unescapeUrl(text: string, part: UrlPart): string {
  const isHost = part === 'host' || part === 'zone';
  const bytes: number[] = [];
  const source = toBytes(text).toString('latin1');
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? '';
    if (char === '%') {
      const hex = source.slice(at + 1, at + 3);
      if (!/^[0-9a-fA-F]{2}$/.test(hex)) throw new Failure('invalid URL escape');
      const byte = Number.parseInt(hex, 16);
      // Hosts escape only what is not ASCII; zones also spaces, and what they may have as it is.
      if (part === 'host' && byte < 0x80 && hex !== '25') throw new Failure('invalid URL escape');
      if (part === 'zone' && hex !== '25' && byte !== 0x20 && !isLiteral(String.fromCharCode(byte), 'host')) {
        throw new Failure('invalid URL escape');
      }
      bytes.push(byte);
      at += 2;
    } else {
      if (isHost && char < '\x80' && !isLiteral(char, part))
        throw new Failure('invalid character in host name');
      bytes.push(char.charCodeAt(0));
    }
  }
  return fromBytes(Uint8Array.from(bytes));
}

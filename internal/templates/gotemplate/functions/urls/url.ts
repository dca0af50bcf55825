/** URLs as package net/url parses and writes them. */
import { isIPv6 } from 'node:net';
import { fromBytes, toBytes } from '../../values/text.ts';
import { Failure } from '../call/failure.ts';

export interface UserInfo {
  readonly name: string;
  /** Undefined: there is none, not even an empty one. */
  readonly password: string | undefined;
}

export interface ParsedUrl {
  readonly scheme: string;
  readonly user: UserInfo | undefined;
  /** With port. */
  readonly host: string;
  /** Without escapes. */
  readonly path: string;
  readonly query: string;
  /** What follows the scheme, if it does not begin with a slash. */
  readonly opaque: string;
  readonly fragment: string;
}

const EMPTY: ParsedUrl = {
  scheme: '',
  user: undefined,
  host: '',
  path: '',
  query: '',
  opaque: '',
  fragment: '',
};

/** @throws Failure */
export function parseUrl(text: string): ParsedUrl {
  const [reference, fragment] = cut(text, '#');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URLs cannot have them.
  if (/[\0-\x1f\x7f]/.test(reference)) throw new Failure('invalid control character in URL');
  return { ...parseReference(reference), fragment: unescapeUrl(fragment, 'fragment') };
}

function parseReference(text: string): ParsedUrl {
  if (text === '*') return { ...EMPTY, path: '*' };
  if (text.startsWith(':')) throw new Failure('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
  const [rest, query] = cut(afterScheme, '?');
  const url = { ...EMPTY, scheme: scheme.toLowerCase(), query };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: rest };
    if (cut(rest, '/')[0].includes(':')) {
      throw new Failure('first path segment in URL cannot contain colon');
    }
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  if (!hasAuthority) return { ...url, path: unescapeUrl(rest, 'path') };
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  const path = slash < 0 ? '' : rest.slice(slash);
  return { ...url, ...parseAuthority(url.scheme, authority), path: unescapeUrl(path, 'path') };
}

function parseAuthority(scheme: string, authority: string): Pick<ParsedUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  return { user: at < 0 ? undefined : parseUserInfo(authority.slice(0, at)), host };
}

function parseUserInfo(text: string): UserInfo {
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(text)) throw new Failure('invalid userinfo');
  const [name, password] = cut(text, ':');
  return {
    name: unescapeUrl(name, 'user'),
    password: text.includes(':') ? unescapeUrl(password, 'user') : undefined,
  };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new Failure('invalid IP-literal');
  if (bracket === 0) return parseIpLiteral(host);
  // URLs of databases list several hosts with ports.
  const isStrict = scheme === 'http' || scheme === 'https';
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescapeUrl(host, 'host');
}

function parseIpLiteral(host: string): string {
  const end = host.lastIndexOf(']');
  if (end < 0) throw new Failure("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const name = host.slice(1, end);
  const zone = name.indexOf('%25');
  const address =
    zone < 0
      ? unescapeUrl(name, 'host')
      : unescapeUrl(name.slice(0, zone), 'host') + unescapeUrl(name.slice(zone), 'zone');
  if (!isIPv6(zone < 0 ? address : address.slice(0, address.indexOf('%'))) || address.endsWith('%')) {
    throw new Failure('invalid host');
  }
  return `[${address}]${port}`;
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new Failure('invalid port after host');
}

/** The host without brackets and port. */
export function hostnameOf(host: string): string {
  const name = /^(.*):[0-9]*$/su.exec(host)?.[1] ?? host;
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

export function userInfoText({ name, password }: UserInfo): string {
  const text = escapeUrl(name, 'user');
  return password === undefined ? text : `${text}:${escapeUrl(password, 'user')}`;
}

export function urlText(url: ParsedUrl): string {
  const parts: string[] = [];
  if (url.scheme !== '') parts.push(url.scheme, ':');
  if (url.opaque !== '') parts.push(url.opaque);
  else {
    if (url.scheme !== '' || url.host !== '' || url.user) parts.push(authorityText(url));
    const path = url.path === '*' ? '*' : escapeUrl(url.path, 'path');
    if (path !== '' && !path.startsWith('/') && url.host !== '') parts.push('/');
    // Otherwise the first segment would be read as a scheme.
    if (parts.join('') === '' && cut(path, '/')[0].includes(':')) parts.push('./');
    parts.push(path);
  }
  if (url.query !== '') parts.push('?', url.query);
  if (url.fragment !== '') parts.push('#', escapeUrl(url.fragment, 'fragment'));
  return parts.join('');
}

function authorityText({ user, host, path }: ParsedUrl): string {
  const slashes = host !== '' || path !== '' || user ? '//' : '';
  return slashes + (user ? `${userInfoText(user)}@` : '') + escapeUrl(host, 'host');
}

/** The text before and after the first separator. */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The parts of a URL, which escape different characters. */
type UrlPart = 'path' | 'user' | 'fragment' | 'host' | 'zone';

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

function escapeUrl(text: string, part: UrlPart): string {
  let escaped = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    const code = byte.toString(16).toUpperCase().padStart(2, '0');
    escaped += isLiteral(char, part) ? char : `%${code}`;
  }
  return escaped;
}

/** @throws Failure for escapes that are none, and for characters that a host cannot have */
function unescapeUrl(text: string, part: UrlPart): string {
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

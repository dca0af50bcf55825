/** The functions for URLs. */
import { isIPv6 } from 'node:net';
import { posix } from 'node:path';
import { fromBytes, toBytes } from '../values/text.ts';
import { dict, type Value } from '../values/value.ts';
import { type Body, chargeText, DICT, Failure, fixed, Panic, STRING, typeText } from './define.ts';

/** An escaped byte takes three characters. */
const GROWTH = 3;

const urlParse = fixed([STRING], ([text], { budget }) => {
  chargeText(budget, text.length * GROWTH);
  const url = parsedOrEmpty(text);
  return dict([
    ['scheme', url.scheme],
    ['host', url.host],
    ['hostname', hostnameOf(url.host)],
    ['path', url.path],
    ['query', url.query],
    ['opaque', url.opaque],
    ['fragment', url.fragment],
    ['userinfo', url.user ? userInfoText(url.user) : ''],
  ]);
});

/** A text that is no URL gives an empty dictionary. */
function parsedOrEmpty(text: string): ParsedUrl {
  try {
    return parseUrl(text);
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`unable to parse url: ${error.message}`, dict());
    throw error;
  }
}

const urlJoin = fixed([DICT], ([parts], { budget }) => {
  const part = (name: string): string => {
    const value: Value | undefined = parts.entries.get(name);
    if (value === undefined) return '';
    if (typeof value !== 'string') {
      throw new Panic(`interface conversion: interface {} is ${typeText(value)}, not string`);
    }
    chargeText(budget, value.length * GROWTH);
    return value;
  };
  const userInfo = part('userinfo');
  return urlText({
    scheme: part('scheme'),
    host: part('host'),
    path: part('path'),
    query: part('query'),
    opaque: part('opaque'),
    fragment: part('fragment'),
    user: userInfo === '' ? undefined : userOf(userInfo),
  });
});

function userOf(userInfo: string): ParsedUrl['user'] {
  try {
    return parseUrl(`proto://${userInfo}@host`).user;
  } catch (error) {
    if (error instanceof Failure) {
      throw new Failure(`unable to parse userinfo in dict: ${error.message}`, '');
    }
    throw error;
  }
}

export const URLS = { urlJoin, urlParse } satisfies Record<string, Body>;

// URLs as package net/url parses and writes them.

interface UserInfo {
  readonly name: string;
  /** Undefined: there is none, not even an empty one. */
  readonly password: string | undefined;
}

interface ParsedUrl {
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
function parseUrl(text: string): ParsedUrl {
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
function hostnameOf(host: string): string {
  const name = /^(.*):[0-9]*$/su.exec(host)?.[1] ?? host;
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

function userInfoText({ name, password }: UserInfo): string {
  const text = escapeUrl(name, 'user');
  return password === undefined ? text : `${text}:${escapeUrl(password, 'user')}`;
}

function urlText(url: ParsedUrl): string {
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

// The functions for paths with slashes, as package path has them.

const ofPath = (change: (path: string) => string | boolean): Body =>
  fixed([STRING], ([path], { budget }) => {
    chargeText(budget, path.length);
    return change(path);
  });

/** The shortest path that means the same. Without slash at the end, unlike that of Node. */
function clean(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function base(path: string): string {
  if (path === '') return '.';
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}

export const PATHS = {
  base: ofPath(base),
  clean: ofPath(clean),
  dir: ofPath((path) => clean(path.slice(0, path.lastIndexOf('/') + 1))),
  ext: ofPath(extension),
  isAbs: ofPath((path) => path.startsWith('/')),
} satisfies Record<string, Body>;

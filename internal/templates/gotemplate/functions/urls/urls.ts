/** The functions for URLs. */
import { dict } from '../../values/create.ts';
import type { Value } from '../../values/value.ts';
import { type Body, fixed } from '../call/define.ts';
import { Failure, Panic } from '../call/failure.ts';
import { DICT, STRING, typeText } from '../call/parameter.ts';
import { chargeText } from '../call/text-builder.ts';
import { hostnameOf, type ParsedUrl, parseUrl, urlText, userInfoText } from './url.ts';

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

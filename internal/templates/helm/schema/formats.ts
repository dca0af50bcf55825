import { isIP } from 'node:net';
import { isValidVersion, matchesLayout } from '../../gotemplate/index.ts';

const isDate = (text: string): boolean => matchesLayout('2006-01-02', text);

const isTime = (text: string): boolean => {
  const match = /^(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.exec(text);
  return match !== null && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) <= 60;
};

function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, '');
  return (
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label))
  );
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  'date-time': (text) => /^.{10}[tT]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6 && !text.includes('%'),
  email: (text) => {
    const at = text.lastIndexOf('@');
    return at > 0 && at <= 64 && text.length <= 254 && isHostname(text.slice(at + 1));
  },
  hostname: isHostname,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  uri: (text) => /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s\\]*$/.test(text),
  'uri-reference': (text) => !/[\s\\]/.test(text),
  'json-pointer': (text) => text === '' || (text.startsWith('/') && !/~(?![01])/.test(text)),
  semver: isValidVersion,
};

/** Whether a text has a format; one that is not known fits all. */
export const hasFormat = (format: string, text: string): boolean =>
  Object.hasOwn(FORMATS, format) ? (FORMATS[format]?.(text) ?? true) : true;

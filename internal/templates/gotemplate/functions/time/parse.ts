import { fromBytes, toBytes } from '../../values/text.ts';
import type { GoObject } from '../../values/value.ts';
import { Failure } from '../define.ts';
import { addDuration, daysInMonth, type GoTime, isLeapYear, MONTHS, timeOf, WEEKDAYS } from './go-time.ts';
import { isFraction, nextElement, quoteTime } from './layout.ts';
import { timeValue } from './values.ts';
import { fixedZone, LOCAL, UTC, type Zone } from './zone.ts';

/** Parses a time by a layout. @param local for times without zone, and for zones that it has @throws Failure */
export function parseTime(layout: string, text: string, local: Zone): GoTime {
  // Layout and text as bytes, one a character.
  const state = new ParseState(toBytes(text).toString('latin1'));
  let rest = toBytes(layout).toString('latin1');
  const fail = (detail: string) => new Failure(`parsing time ${quoteTime(text)}${detail}`);
  const mismatch = (element: string, value: string) =>
    fail(` as ${quoteTime(layout)}: cannot parse ${quoteBytes(value)} as ${quoteBytes(element)}`);
  for (;;) {
    const { prefix, element, suffix } = nextElement(rest);
    if (!state.skip(prefix)) throw mismatch(prefix, state.rest);
    if (element === '') {
      if (state.rest !== '') throw fail(`: extra text: ${quoteBytes(state.rest)}`);
      break;
    }
    const before = state.rest;
    const outcome = readElement(state, element, suffix);
    if (outcome === 'mismatch') throw mismatch(element, before);
    if (outcome !== 'ok') throw fail(`: ${outcome} out of range`);
    rest = suffix;
  }
  const problem = resolveDate(state);
  if (problem !== undefined) throw fail(`: ${problem}`);
  return inItsZone(state, local);
}

const quoteBytes = (latin1: string): string => quoteTime(fromBytes(Buffer.from(latin1, 'latin1')));

/** Sets month and day; returns what is wrong with them. */
function resolveDate(state: ParseState): string | undefined {
  if (state.dayOfYear >= 0) {
    const day = state.dayOfYear;
    if (day < 1 || day > (isLeapYear(state.year) ? 366 : 365)) return 'day-of-year out of range';
    let month = 1;
    let rest = day;
    for (; rest > daysInMonth(state.year, month); month++) rest -= daysInMonth(state.year, month);
    if (state.month >= 0 && state.month !== month) return 'day-of-year does not match month';
    if (state.day >= 0 && state.day !== rest) return 'day-of-year does not match day';
    state.month = month;
    state.day = rest;
  }
  if (state.month < 0) state.month = 1;
  if (state.day < 0) state.day = 1;
  const inMonth = state.day >= 1 && state.day <= daysInMonth(state.year, state.month);
  return inMonth ? undefined : 'day out of range';
}

function inItsZone(state: ParseState, local: Zone): GoTime {
  if (state.isUtc) return timeOf(state, UTC);
  const asUtc = timeOf(state, UTC);
  if (state.offset !== undefined) {
    const time = addDuration(asUtc, BigInt(-state.offset) * 1_000_000_000n);
    const there = local.at(time.seconds);
    const isLocal =
      there.offset === state.offset && (state.zoneName === '' || there.abbreviation === state.zoneName);
    return { ...time, zone: isLocal ? local : fixedZone(state.zoneName, state.offset) };
  }
  if (state.zoneName !== '') {
    // A zone that is not the local one has no known offset, except for GMT+3.
    const hours = state.zoneName.startsWith('GMT') ? Number(state.zoneName.slice(3)) : 0;
    return { ...asUtc, zone: fixedZone(state.zoneName, hours * 3600) };
  }
  return timeOf(state, local);
}

/** What was read of a time so far. */
class ParseState {
  /** What is left of the text; one character a byte. */
  rest: string;
  year = 0;
  /** -1: not given. */
  month = -1;
  day = -1;
  dayOfYear = -1;
  hourOfClock = 0;
  minute = 0;
  second = 0;
  nanosecond = 0;
  half: 'am' | 'pm' | undefined;
  isUtc = false;
  /** Seconds east of UTC. */
  offset: number | undefined;
  zoneName = '';

  constructor(text: string) {
    this.rest = text;
  }

  /** 0 to 23. */
  get hour(): number {
    if (this.half === 'pm' && this.hourOfClock < 12) return this.hourOfClock + 12;
    return this.half === 'am' && this.hourOfClock === 12 ? 0 : this.hourOfClock;
  }

  /** Takes what matches at the start. @param pattern begins with ^ */
  take(pattern: RegExp): string | undefined {
    const [text] = pattern.exec(this.rest) ?? [];
    if (text !== undefined) this.rest = this.rest.slice(text.length);
    return text;
  }

  /** Takes the text between elements; a space stands for any number of them. */
  skip(prefix: string): boolean {
    for (const part of prefix.match(/ +|[^ ]/g) ?? []) {
      if (part.startsWith(' ')) {
        if (this.rest !== '' && !this.rest.startsWith(' ')) return false;
        this.take(/^ */);
      } else if (this.rest.startsWith(part)) this.rest = this.rest.slice(1);
      else return false;
    }
    return true;
  }
}

/** The name of a field that is out of range, or one of these. */
type Outcome = 'ok' | 'mismatch' | (string & {});

/** Reads one element. @param suffix the rest of the layout */
function readElement(state: ParseState, element: string, suffix: string): Outcome {
  switch (element) {
    case '06': {
      const year = signedNumber(state.take(/^.{2}/s));
      if (year === undefined) return 'mismatch';
      state.year = year + (year >= 69 ? 1900 : 2000);
      return 'ok';
    }
    case '2006': {
      const year = signedNumber(state.take(/^\d.{3}/s));
      if (year === undefined) return 'mismatch';
      state.year = year;
      return 'ok';
    }
    case 'Jan':
    case 'January': {
      state.month = readName(state, MONTHS, element === 'Jan' ? 3 : undefined) + 1;
      return state.month > 0 ? 'ok' : 'mismatch';
    }
    case 'Mon':
    case 'Monday':
      return readName(state, WEEKDAYS, element === 'Mon' ? 3 : undefined) < 0 ? 'mismatch' : 'ok';
    case '1':
    case '01':
      state.month = readNumber(state, element === '01');
      return state.month < 0 ? 'mismatch' : range('month', state.month, 1, 12);
    case '_2':
    case '2':
    case '02':
      if (element === '_2') state.take(/^ /);
      state.day = readNumber(state, element === '02');
      return state.day < 0 ? 'mismatch' : 'ok';
    case '__2':
    case '002':
      if (element === '__2') state.take(/^ {1,2}/);
      state.dayOfYear = Number(state.take(element === '002' ? /^\d{3}/ : /^\d{1,3}/) ?? -1);
      return state.dayOfYear < 0 ? 'mismatch' : 'ok';
    case '15':
    case '3':
    case '03':
      state.hourOfClock = readNumber(state, element === '03');
      return outcome('hour', state.hourOfClock, element === '15' ? 23 : 12);
    case '4':
    case '04':
      state.minute = readNumber(state, element === '04');
      return outcome('minute', state.minute, 59);
    case '5':
    case '05':
      return readSecond(state, element === '05', suffix);
    case 'PM':
    case 'pm': {
      const half = state.take(element === 'PM' ? /^[AP]M/ : /^[ap]m/);
      if (half === undefined) return 'mismatch';
      state.half = half.toLowerCase() === 'am' ? 'am' : 'pm';
      return 'ok';
    }
    case 'MST':
      return readZoneName(state);
    default:
      return isFraction(element) ? readFraction(state, element) : readOffset(state, element);
  }
}

const outcome = (field: string, value: number, max: number): Outcome =>
  value < 0 ? 'mismatch' : range(field, value, 0, max);

const range = (field: string, value: number, min: number, max: number): Outcome =>
  value < min || value > max ? field : 'ok';

/** One or two digits; -1: none. */
const readNumber = (state: ParseState, isTwoDigits: boolean): number =>
  Number(state.take(isTwoDigits ? /^\d\d/ : /^\d\d?/) ?? -1);

/** As atoi reads it, with a sign. */
const signedNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^[+-]?\d*$/.test(text) ? Number(/^[+-]$/.test(text) ? 0 : text) : undefined;

/** The index of the name at the start, in any case; -1: none. */
function readName(state: ParseState, names: readonly string[], length?: number): number {
  const rest = state.rest.slice(0, 9).toLowerCase();
  const index = names.findIndex((name) => rest.startsWith(name.slice(0, length).toLowerCase()));
  if (index >= 0) state.rest = state.rest.slice(names[index]?.slice(0, length).length);
  return index;
}

function readSecond(state: ParseState, isTwoDigits: boolean, suffix: string): Outcome {
  state.second = readNumber(state, isTwoDigits);
  const result = outcome('second', state.second, 59);
  // A fraction may follow that the layout does not have.
  if (result === 'ok' && /^[.,]\d/.test(state.rest) && !isFraction(nextElement(suffix).element)) {
    state.nanosecond = nanoseconds(state.take(/^[.,]\d+/) ?? '');
  }
  return result;
}

function readFraction(state: ParseState, element: string): Outcome {
  if (element[1] === '9') {
    state.nanosecond = nanoseconds(state.take(/^[.,]\d+/) ?? '.0');
    return 'ok';
  }
  const text = state.rest.slice(0, element.length);
  if (text.length < element.length || !/^[.,]\d+$/.test(text.slice(0, 10))) return 'mismatch';
  state.rest = state.rest.slice(element.length);
  state.nanosecond = nanoseconds(text);
  return 'ok';
}

const nanoseconds = (fraction: string): number => Number(fraction.slice(1, 10).padEnd(9, '0'));

const OFFSETS: Readonly<Record<string, RegExp>> = {
  '07': /^([+-])(\d\d)/,
  '0700': /^([+-])(\d\d)(\d\d)/,
  '07:00': /^([+-])(\d\d):(\d\d)/,
  '070000': /^([+-])(\d\d)(\d\d)(\d\d)/,
  '07:00:00': /^([+-])(\d\d):(\d\d):(\d\d)/,
};

function readOffset(state: ParseState, element: string): Outcome {
  if (element.startsWith('Z') && state.take(/^Z/)) {
    state.isUtc = true;
    return 'ok';
  }
  const [text, sign, hours = '', minutes = '0', seconds = '0'] =
    OFFSETS[element.slice(1)]?.exec(state.rest) ?? [];
  if (text === undefined) return 'mismatch';
  state.rest = state.rest.slice(text.length);
  if (Number(hours) > 24) return 'time zone offset hour';
  if (Number(minutes) > 60) return 'time zone offset minute';
  if (Number(seconds) > 60) return 'time zone offset second';
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  state.offset = sign === '-' ? -offset : offset;
  return 'ok';
}

function readZoneName(state: ParseState): Outcome {
  if (state.take(/^UTC/)) {
    state.isUtc = true;
    return 'ok';
  }
  const name =
    state.take(/^(?:ChST|MeST)/) ??
    readGmt(state) ??
    readSignedHours(state) ??
    state.take(/^(?:[A-Z]{4}T|[A-Z]{3}T|WITA|[A-Z]{3})(?![A-Z])/);
  if (name === undefined) return 'mismatch';
  state.zoneName = name;
  return 'ok';
}

function readGmt(state: ParseState): string | undefined {
  const name = state.take(/^GMT/);
  return name === undefined ? undefined : name + (readSignedHours(state) ?? '');
}

function readSignedHours(state: ParseState): string | undefined {
  const digits = /^[+-](\d{1,30})(?!\d)/.exec(state.rest)?.[1];
  return digits !== undefined && Number(digits) <= 23 ? state.take(/^[+-]\d+/) : undefined;
}

/** Whether a text is a time in a layout of Go. */
export function matchesLayout(layout: string, text: string): boolean {
  try {
    parseTime(layout, text, UTC);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

const LAYOUTS = [
  '2006-01-02T15:04:05.999999999Z07:00',
  '2006-01-02T15:04:05.999999999',
  '2006-01-02',
  '15:04:05.999999999',
];

/** A time.Time of a date, a time, or both. Undefined: the text is none of them. */
export function parseRfc3339(text: string): GoObject | undefined {
  const layout = LAYOUTS.find((candidate) => matchesLayout(candidate, text));
  return layout === undefined ? undefined : timeValue(parseTime(layout, text, LOCAL));
}

import { fromBytes, toBytes } from '../../values/text.ts';
import { Failure } from '../call/failure.ts';
import { daysInMonth, isLeapYear } from './civil.ts';
import { addDuration, type GoTime, timeOf } from './go-time.ts';
import { nextElement } from './layout.ts';
import { ParseState, readElement } from './parse-element.ts';
import { quoteTime } from './quote-time.ts';
import { fixedZone, UTC, type Zone } from './zone.ts';

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

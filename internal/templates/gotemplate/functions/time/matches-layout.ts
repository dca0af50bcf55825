import type { GoObject } from '../../values/value.ts';
import { Failure } from '../call/failure.ts';
import { parseTime } from './parse.ts';
import { timeValue } from './values.ts';
import { LOCAL, UTC } from './zone.ts';

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

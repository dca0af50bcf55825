import { Failure } from '../call/failure.ts';
import { parseTime } from './parse.ts';
import { UTC } from './zone.ts';

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

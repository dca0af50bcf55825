import { internAndFreeze, type StringInterner } from './transform.ts';

/** Levels that are compared with the known version. */
const MAX_LEVELS = 100;

type Container = Record<string, unknown>;

/**
 * Takes what has not changed from the version that is known, and interns and freezes the rest. An update mostly changes the status: the
 * other parts are frozen already, are equal by identity where versions are compared, and the new copies of them are garbage at once.
 *
 * @param value plain JSON, which is changed
 * @param known an earlier version, frozen; undefined: there is none
 */
export const adoptKnown = <T>(value: T, known: T | undefined, intern: StringInterner): T =>
  adopt(value, known, 0, intern) as T;

function adopt(value: unknown, known: unknown, level: number, intern: StringInterner): unknown {
  if (!isContainer(value) || !Object.isExtensible(value)) return value;
  if (!isContainer(known) || level === MAX_LEVELS || Array.isArray(value) !== Array.isArray(known))
    return internAndFreeze(value, intern);
  for (const name in value) {
    const part = value[name];
    if (typeof part === 'string') value[name] = part === known[name] ? known[name] : intern(part);
    else if (isContainer(part)) {
      const before = Object.hasOwn(known, name) ? known[name] : undefined;
      value[name] = isSame(part, before, level + 1) ? before : adopt(part, before, level + 1, intern);
    }
  }
  return Object.freeze(value);
}

/** Whether the values are the same, member by member: what is the same otherwise is only not shared. */
function isSame(value: unknown, known: unknown, level: number): boolean {
  if (value === known) return true;
  if (!isContainer(value) || !isContainer(known) || level === MAX_LEVELS) return false;
  if (Array.isArray(value)) {
    if (!Array.isArray(known) || value.length !== known.length) return false;
    return value.every((item, index) => isSame(item, known[index], level + 1));
  }
  if (Array.isArray(known)) return false;
  let members = 0;
  for (const name in value) {
    if (!isSame(value[name], known[name], level + 1)) return false;
    members++;
  }
  for (const _ in known) members--;
  return members === 0;
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

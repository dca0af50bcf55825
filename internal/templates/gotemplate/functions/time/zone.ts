import { ZONES } from './zones.gen.ts';

/** A time zone: what *time.Location is in Go. */
export interface Zone {
  /** As GoString prints it. */
  readonly goText: string;
  /** Offset from UTC and abbreviation at a time, in seconds since the Unix epoch. */
  at(unixSeconds: bigint): ZoneOffset;
}

export interface ZoneOffset {
  /** Seconds east of UTC. */
  readonly offset: number;
  /** Such as CET. Empty: the offset is written in digits. */
  readonly abbreviation: string;
}

const constant = (goText: string, abbreviation: string, offset: number): Zone => ({
  goText,
  at: () => ({ offset, abbreviation }),
});

export const UTC = constant('time.UTC', 'UTC', 0);

/** The zone of the process. Always UTC, so that a template gives the same result on every machine. */
export const LOCAL = constant('time.Local', 'UTC', 0);

export const fixedZone = (abbreviation: string, offset: number): Zone =>
  constant(`time.Location(${JSON.stringify(abbreviation)})`, abbreviation, offset);

/** The zone with a name of the IANA database, such as Europe/Berlin. Undefined: there is none. */
export function findZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return UTC;
  if (name === 'Local') return LOCAL;
  // The only zone of the database that Intl does not have.
  if (name === 'Factory') return constant('time.Location("Factory")', '-00', 0);
  // All names of the database are of these characters; the search below relies on it.
  if (!/^[A-Za-z0-9_+/-]{1,40}$/.test(name)) return undefined;
  const line = ZONES.split('\n').find((candidate) => `${candidate} `.includes(` ${name} `));
  if (line === undefined) return undefined;
  const abbreviations = new Map(
    line
      .slice(0, line.indexOf(':'))
      .split(' ')
      .map((entry): [number, string] => {
        const [abbreviation = '', offset = ''] = entry.split('=');
        return [Number(offset), abbreviation];
      }),
  );
  const format = offsetFormat(name);
  return {
    goText: `time.Location(${JSON.stringify(name)})`,
    at: (unixSeconds) => {
      const offset = format(unixSeconds);
      return { offset, abbreviation: abbreviations.get(offset) || digits(offset) };
    },
  };
}

/** Milliseconds that a Date can hold. */
const MAX_DATE_SECONDS = 8_640_000_000_000n;

function offsetFormat(name: string): (unixSeconds: bigint) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return (unixSeconds) => {
    const bounded =
      unixSeconds > MAX_DATE_SECONDS
        ? MAX_DATE_SECONDS
        : unixSeconds < -MAX_DATE_SECONDS
          ? -MAX_DATE_SECONDS
          : unixSeconds;
    const text = format
      .formatToParts(Number(bounded) * 1000)
      .find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign, hours, minutes, seconds = '0'] =
      /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text ?? '') ?? [];
    if (hours === undefined) return 0;
    const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -offset : offset;
  };
}

/** As the database abbreviates offsets without a name; local mean time is the one with seconds. */
function digits(offset: number): string {
  if (offset % 60 !== 0) return 'LMT';
  const minutes = Math.abs(offset) / 60;
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : two(minutes % 60);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${rest}`;
}

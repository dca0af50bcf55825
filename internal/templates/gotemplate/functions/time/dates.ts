/** The functions for dates and durations. Layouts are those of Go; the zone `Local` is UTC. */
import { type CallContext, GoInteger, type Value } from '../../values/value.ts';
import { parseInteger, truncateToInt64 } from '../convert/cast.ts';
import { ANY, type Body, Failure, fixed, type Parameter, STRING } from '../define.ts';
import { formatDuration, HOUR, MINUTE, parseDuration, roundDuration, SECOND } from './duration.ts';
import {
  addDuration,
  fieldsOf,
  format,
  type GoTime,
  inZone,
  subtract,
  timeOfMilliseconds,
  unixTime,
  ZERO_TIME,
} from './go-time.ts';
import { parseTime } from './parse.ts';
import { timeIn, timeValue } from './values.ts';
import { findZone, fixedZone, LOCAL, UTC } from './zone.ts';

const TIME: Parameter<GoTime> = {
  type: 'time.Time',
  zero: ZERO_TIME,
  read: timeIn,
};

const currentTime = (context: CallContext): GoTime => timeOfMilliseconds(context.clock.now());

/** A time, or the seconds since the Unix epoch; anything else is the current time. */
function timeFrom(value: Value, context: CallContext): GoTime {
  const time = timeIn(value);
  if (time) return time;
  const isSeconds = value instanceof GoInteger && ['int', 'int32', 'int64'].includes(value.type.name);
  return isSeconds ? unixTime(value.value) : currentTime(context);
}

/** Bytes that a layout may grow by: each of its elements becomes longer by a few characters only. */
const GROWTH = 8;

function formatCharged(time: GoTime, layout: string, context: CallContext): string {
  context.budget.charge(layout.length * GROWTH);
  context.budget.step(layout.length);
  return format(time, layout);
}

function dateInZone(layout: string, value: Value, zone: string, context: CallContext): string {
  const time = timeFrom(value, context);
  const found = findZone(zone);
  // The result beside the error, which nothing shows.
  return formatCharged(inZone(time, found ?? UTC), layout, context);
}

const date = fixed([STRING, ANY], ([layout, value], context) => {
  const time = timeFrom(value, context);
  const { abbreviation, offset } = fieldsOf(time);
  return formatCharged(inZone(time, fixedZone(abbreviation, offset)), layout, context);
});

const toDate = fixed([STRING, STRING], ([layout, text], context) => {
  context.budget.step(layout.length);
  return orZeroTime(() => timeValue(parseTime(layout, text, LOCAL)));
});

const dateModify = fixed([STRING, TIME], ([duration, time]) =>
  orZeroTime(() => timeValue(addDuration(time, parseDuration(duration)))),
);

/** A failure gives the zero time as its result. */
function orZeroTime(result: () => Value): Value {
  try {
    return result();
  } catch (error) {
    if (error instanceof Failure) throw new Failure(error.message, timeValue(ZERO_TIME));
    throw error;
  }
}

const ago = fixed([ANY], ([value], context) =>
  formatDuration(roundDuration(subtract(currentTime(context), timeFrom(value, context)), SECOND)),
);

const duration = fixed([ANY], ([value]) => {
  const seconds = secondsOf(value);
  return formatDuration(BigInt.asIntN(64, seconds * SECOND));
});

function secondsOf(value: Value): bigint {
  if (typeof value === 'string') return parseInteger(value, 10).value;
  if (typeof value === 'number') return truncateToInt64(value);
  const isInteger = value instanceof GoInteger && ['int', 'int64'].includes(value.type.name);
  return isInteger ? value.value : 0n;
}

const DAY = 24n * HOUR;
const UNITS: readonly (readonly [bigint, string])[] = [
  [365n * DAY, 'y'],
  [30n * DAY, 'mo'],
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'm'],
  [SECOND, 's'],
];

const durationRound = fixed([ANY], ([value], context) => {
  const nanoseconds = nanosecondsOf(value, context);
  if (nanoseconds === 0n) return '0s';
  const amount = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const [unit, name] = UNITS.find(([size]) => amount > size) ?? [];
  const sign = nanoseconds < 0n ? '-' : '';
  // At most a second: only the sign is left, as sprout has it.
  return unit === undefined ? sign : `${sign}${amount / unit}${name}`;
});

function nanosecondsOf(value: Value, context: CallContext): bigint {
  const time = timeIn(value);
  if (time) return subtract(currentTime(context), time);
  if (value instanceof GoInteger && ['int64', 'time.Duration'].includes(value.type.name)) return value.value;
  if (typeof value !== 'string') return 0n;
  try {
    return parseDuration(value);
  } catch (error) {
    if (error instanceof Failure) return 0n;
    throw error;
  }
}

const inNamedZone = fixed([STRING, ANY, STRING], ([layout, value, zone], context) =>
  dateInZone(layout, value, zone, context),
);

const DATE_ONLY = '2006-01-02';

export const DATES = {
  ago,
  date,
  date_in_zone: inNamedZone,
  date_modify: dateModify,
  dateInZone: inNamedZone,
  dateModify,
  duration,
  durationRound,
  htmlDate: fixed([ANY], ([value], context) => dateInZone(DATE_ONLY, value, 'Local', context)),
  htmlDateInZone: fixed([ANY, STRING], ([value, zone], context) =>
    dateInZone(DATE_ONLY, value, zone, context),
  ),
  must_date_modify: dateModify,
  mustDateModify: dateModify,
  mustToDate: toDate,
  now: fixed([], (_, context) => timeValue(currentTime(context))),
  toDate,
  unixEpoch: fixed([TIME], ([time]) => time.seconds.toString()),
} satisfies Record<string, Body>;

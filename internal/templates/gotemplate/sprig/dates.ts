/** The functions for dates and durations. */

import { parseInteger } from '../functions/convert/cast.ts';
import { type Body, Failure } from '../functions/define.ts';
import { DATES } from '../functions/time/dates.ts';
import { formatDuration, SECOND } from '../functions/time/duration.ts';
import { ZERO_TIME } from '../functions/time/go-time.ts';
import { timeIn, timeValue } from '../functions/time/values.ts';
import { type GoFunctions, GoInteger } from '../values/value.ts';
import { ANY_TYPE, typed } from './typed.ts';

const date: Body = ([layout = null, value = null], context) =>
  DATES.dateInZone([layout, value, 'Local'], context);

const modify = ['string', 'time.Time'];

export const DATE_FUNCTIONS: GoFunctions = {
  ago: typed([ANY_TYPE], DATES.ago),
  date: typed(['string', ANY_TYPE], date),
  date_in_zone: typed(['string', ANY_TYPE, 'string'], DATES.dateInZone),
  date_modify: typed(modify, lenientModify),
  dateInZone: typed(['string', ANY_TYPE, 'string'], DATES.dateInZone),
  dateModify: typed(modify, lenientModify),
  duration: typed([ANY_TYPE], ([value = null]) => {
    const seconds =
      typeof value === 'string'
        ? parseInteger(value, 10).value
        : value instanceof GoInteger && value.type.name === 'int64'
          ? value.value
          : 0n;
    return formatDuration(BigInt.asIntN(64, seconds * SECOND));
  }),
  durationRound: typed([ANY_TYPE], ([value = null], context) => {
    const isKnown =
      typeof value === 'string' ||
      timeIn(value) !== undefined ||
      (value instanceof GoInteger && value.type.name === 'int64');
    const rounded = isKnown ? DATES.durationRound([value], context) : '0s';
    const unsigned = typeof rounded === 'string' ? rounded.replace(/^-/, '') : '';
    return unsigned === '' ? '0s' : unsigned;
  }),
  htmlDate: typed([ANY_TYPE], DATES.htmlDate),
  htmlDateInZone: typed([ANY_TYPE, 'string'], DATES.htmlDateInZone),
  must_date_modify: typed(modify, DATES.dateModify),
  mustDateModify: typed(modify, DATES.dateModify),
  mustToDate: typed(['string', 'string'], DATES.toDate),
  now: typed([], DATES.now),
  toDate: typed(['string', 'string'], DATES.toDate, { orElse: () => timeValue(ZERO_TIME) }),
  unixEpoch: typed(['time.Time'], DATES.unixEpoch),
};

/** A text that is no duration changes nothing. */
function lenientModify(args: Parameters<Body>[0], context: Parameters<Body>[1]): ReturnType<Body> {
  try {
    return DATES.dateModify(args, context);
  } catch (error) {
    if (error instanceof Failure) return args[1] ?? null;
    throw error;
  }
}

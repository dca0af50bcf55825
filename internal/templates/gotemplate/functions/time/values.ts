/** time.Time, time.Duration, time.Month and time.Weekday as values of templates, with the methods that one can call. */
import {
  type GoFunction,
  GoInteger,
  type GoMethods,
  GoObject,
  INTEGER_TYPES,
  type IntegerType,
  int,
  int64,
  type TypeName,
  type Value,
} from '../../values/value.ts';
import { objectType } from '../define.ts';
import { formatDuration, roundDuration } from './duration.ts';
import {
  addDuration,
  dayOfYear,
  fieldsOf,
  format,
  type GoTime,
  inZone,
  MONTHS,
  subtract,
  timeOf,
  unixNanoseconds,
  WEEKDAYS,
  ZERO_TIME,
} from './go-time.ts';
import { RFC3339_NANO, TEXT_LAYOUT } from './layout.ts';
import { LOCAL, UTC } from './zone.ts';

/** The time of a time.Time; undefined for other values. */
export const timeIn = (value: Value | undefined): GoTime | undefined =>
  value instanceof GoObject && value.type === TIME_TYPE ? (value.content as GoTime) : undefined;

export const timeValue = (time: GoTime): GoObject => new GoObject<unknown>(TIME_TYPE, time);

/** The nanoseconds of a time.Duration; undefined for other values. */
export const durationIn = (value: Value): bigint | undefined =>
  value instanceof GoInteger && value.type.name === DURATION_TYPE.name ? value.value : undefined;

export const durationValue = (nanoseconds: bigint): GoInteger => new GoInteger(DURATION_TYPE, nanoseconds);

/** As JSON has it. */
export const timeJson = (time: GoTime): string => format(time, RFC3339_NANO);

const nothing: readonly TypeName[] = [];

const method = (parameters: readonly TypeName[], call: (args: readonly Value[]) => Value): GoFunction => ({
  parameters,
  call,
});

const ofTime =
  (result: (time: GoTime) => Value) =>
  (receiver: Value): GoFunction =>
    method(nothing, () => result(receiverTime(receiver)));

const withTime =
  (result: (time: GoTime, other: GoTime) => Value) =>
  (receiver: Value): GoFunction =>
    method(['time.Time'], ([other]) => result(receiverTime(receiver), receiverTime(other)));

const withDuration =
  (result: (time: GoTime, nanoseconds: bigint) => Value) =>
  (receiver: Value): GoFunction =>
    method(['time.Duration'], ([duration]) => result(receiverTime(receiver), integerIn(duration)));

const receiverTime = (value: Value | undefined): GoTime => timeIn(value) ?? ZERO_TIME;
const integerIn = (value: Value | undefined): bigint => (value instanceof GoInteger ? value.value : 0n);
const order = (one: GoTime, other: GoTime): number => {
  const difference = unixNanoseconds(one) - unixNanoseconds(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

const TIME_METHODS: GoMethods = {
  Add: withDuration((time, nanoseconds) => timeValue(addDuration(time, nanoseconds))),
  AddDate: (receiver) =>
    method(['int', 'int', 'int'], ([years, months, days]) => {
      const time = receiverTime(receiver);
      const fields = fieldsOf(time);
      const moved = {
        ...fields,
        year: fields.year + Number(integerIn(years)),
        month: fields.month + Number(integerIn(months)),
        day: fields.day + Number(integerIn(days)),
      };
      return timeValue(timeOf(moved, time.zone));
    }),
  After: withTime((time, other) => order(time, other) > 0),
  Before: withTime((time, other) => order(time, other) < 0),
  Compare: withTime((time, other) => int(order(time, other))),
  Day: ofTime((time) => int(fieldsOf(time).day)),
  Equal: withTime((time, other) => order(time, other) === 0),
  Format: (receiver) =>
    method(['string'], ([layout]) =>
      format(receiverTime(receiver), typeof layout === 'string' ? layout : ''),
    ),
  Hour: ofTime((time) => int(fieldsOf(time).hour)),
  IsZero: ofTime((time) => order(time, ZERO_TIME) === 0),
  Local: ofTime((time) => timeValue(inZone(time, LOCAL))),
  Minute: ofTime((time) => int(fieldsOf(time).minute)),
  Month: ofTime((time) => new GoInteger(MONTH_TYPE, BigInt(fieldsOf(time).month))),
  Nanosecond: ofTime((time) => int(time.nanoseconds)),
  Second: ofTime((time) => int(fieldsOf(time).second)),
  String: ofTime((time) => format(time, TEXT_LAYOUT)),
  Sub: withTime((time, other) => durationValue(subtract(time, other))),
  UTC: ofTime((time) => timeValue(inZone(time, UTC))),
  Unix: ofTime((time) => int64(time.seconds)),
  UnixMicro: ofTime((time) => int64(unixNanoseconds(time) / 1000n)),
  UnixMilli: ofTime((time) => int64(unixNanoseconds(time) / 1_000_000n)),
  UnixNano: ofTime((time) => int64(unixNanoseconds(time))),
  Weekday: ofTime((time) => new GoInteger(WEEKDAY_TYPE, BigInt(fieldsOf(time).weekday))),
  Year: ofTime((time) => int(fieldsOf(time).year)),
  YearDay: ofTime((time) => int(dayOfYear(fieldsOf(time)))),
};

const TIME_TYPE = objectType<GoTime>({
  name: 'time.Time',
  methods: TIME_METHODS,
  text: (time) => format(time, TEXT_LAYOUT),
  goText: (time) => {
    const { year, month, day, hour, minute, second, nanosecond } = fieldsOf(time);
    return `time.Date(${[year, `time.${MONTHS[month - 1] ?? ''}`, day, hour, minute, second, nanosecond, time.zone.goText].join(', ')})`;
  },
  equal: (one, other) => order(one, other) === 0 && one.zone === other.zone,
});

const ofInteger =
  (result: (value: bigint) => Value) =>
  (receiver: Value): GoFunction =>
    method(nothing, () => result(integerIn(receiver)));

const floatOf = (nanoseconds: bigint, unit: bigint): number =>
  Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit);

const DURATION_TYPE: IntegerType = {
  name: 'time.Duration',
  text: formatDuration,
  bits: 64,
  signed: true,
  methods: {
    Hours: ofInteger((value) => floatOf(value, 3_600_000_000_000n)),
    Microseconds: ofInteger((value) => int64(value / 1000n)),
    Milliseconds: ofInteger((value) => int64(value / 1_000_000n)),
    Minutes: ofInteger((value) => floatOf(value, 60_000_000_000n)),
    Nanoseconds: ofInteger(int64),
    Round: (receiver) =>
      method(['time.Duration'], ([multiple]) =>
        durationValue(
          integerIn(multiple) > 0n
            ? roundDuration(integerIn(receiver), integerIn(multiple))
            : integerIn(receiver),
        ),
      ),
    Seconds: ofInteger((value) => floatOf(value, 1_000_000_000n)),
    String: ofInteger(formatDuration),
    Truncate: (receiver) =>
      method(['time.Duration'], ([multiple]) =>
        durationValue(
          integerIn(multiple) > 0n
            ? integerIn(receiver) - (integerIn(receiver) % integerIn(multiple))
            : integerIn(receiver),
        ),
      ),
  },
};

const monthText = (month: bigint): string => MONTHS[Number(month) - 1] ?? `%!Month(${month})`;
const weekdayText = (day: bigint): string => WEEKDAYS[Number(day)] ?? `%!Weekday(${day})`;

const MONTH_TYPE: IntegerType = {
  ...INTEGER_TYPES.int,
  name: 'time.Month',
  text: monthText,
  methods: { String: ofInteger(monthText) },
};

const WEEKDAY_TYPE: IntegerType = {
  ...INTEGER_TYPES.int,
  name: 'time.Weekday',
  text: weekdayText,
  methods: { String: ofInteger(weekdayText) },
};

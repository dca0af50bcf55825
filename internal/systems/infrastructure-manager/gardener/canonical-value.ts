/**
 * Values of a Shoot in one form, for comparisons. Gardener reads durations, quantities and times into types of Go and writes them
 * back in another form (`120m` as `2h0m0s`, `1024Mi` as `1Gi`), and drops empty lists and maps.
 */
import { isObject } from '../../../framework/base/index.ts';

/** Members of a worker pool whose type is Duration in the API of Gardener. */
export const DURATIONS: ReadonlySet<string> = new Set([
  'maxNodeProvisionTime',
  'scaleDownUnneededTime',
  'scaleDownUnreadyTime',
  'inPlaceUpdateTimeout',
  'machineCreationTimeout',
  'machineDrainTimeout',
  'machineHealthTimeout',
  'evictionPressureTransitionPeriod',
  'imageMaximumGCAge',
  'imageMinimumGCAge',
  'streamingConnectionIdleTimeout',
]);
/** Members whose type is Quantity. */
export const QUANTITIES: ReadonlySet<string> = new Set(['containerLogMaxSize']);
/** Objects whose members all have one of these types. */
export const OBJECTS_OF_DURATIONS: ReadonlySet<string> = new Set(['evictionSoftGracePeriod']);
export const OBJECTS_OF_QUANTITIES: ReadonlySet<string> = new Set([
  'evictionMinimumReclaim',
  'kubeReserved',
  'systemReserved',
]);
/** Maps whose keys are chosen by users: a key has no type. */
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'labels',
  'matchLabels',
  'requiredClaims',
  'sysctls',
]);

export const isMap = (field: string): boolean => MAPS.has(field);

/** Longer texts are no durations, quantities or times that Gardener accepts. */
const MAX_LENGTH = 64;

/**
 * The value in that form, with the keys of objects in order, and without empty members.
 *
 * @param field the name of the member that has it
 * @param parent the name of the object, or list of objects, that has the member
 */
export function canonicalValue(value: unknown, field: string, parent: string): unknown {
  if (Array.isArray(value)) return value.map((item) => canonicalValue(item, field, parent));
  if (isObject(value)) {
    const members = Object.entries(value).flatMap(([name, member]) => {
      const found = canonicalValue(member, name, field);
      return isEmpty(found) || (field === 'taints' && found === '') ? [] : [[name, found] as const];
    });
    return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
  if (isMap(parent) || (typeof value !== 'string' && typeof value !== 'number')) return value;
  if (String(value).length > MAX_LENGTH) return value;
  if (DURATIONS.has(field) || OBJECTS_OF_DURATIONS.has(parent)) return durationOf(String(value)) ?? value;
  if (QUANTITIES.has(field) || OBJECTS_OF_QUANTITIES.has(parent)) return quantityOf(String(value)) ?? value;
  if (field === 'timeAdded') return timeOf(String(value)) ?? value;
  return value;
}

/** Whether Gardener stores the value, though it is empty. */
export const isEmptyObject = (value: unknown, field: string): boolean =>
  isObject(value) && isEmpty(value) && !isMap(field);

/** Gardener stores no such value, but for an object without fields. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** In nanoseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 },
};

/** A duration as Go's `time.ParseDuration` reads it; undefined if it does not. */
function durationOf(given: string): string | undefined {
  // Go reads both letters. They are written as escapes, since the bundle is ASCII.
  const text = given.replaceAll(/[\u00b5\u03bc]s/g, 'us');
  if (/^[-+]?0$/.test(text)) return '0ns';
  const match = /^([-+]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:[num]s|[smh]))+)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, parts = ''] = match;
  let nanoseconds = 0;
  for (const part of parts.split(/(?<=[a-z])(?=[\d.])/)) {
    const unit = part.slice(part.search(/[a-z]/));
    nanoseconds += Number(part.slice(0, -unit.length)) * (UNITS[unit] ?? Number.NaN);
  }
  if (!Number.isFinite(nanoseconds)) return undefined;
  return `${sign === '-' && nanoseconds > 0 ? '-' : ''}${Math.round(nanoseconds)}ns`;
}

const POWERS_OF_TEN: Readonly<Record<string, number>> = {
  ...{ n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 },
};
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** A quantity of Kubernetes in billionths; undefined if it is none. */
function quantityOf(text: string): string | undefined {
  const match = /^([-+]?)(\d*)(?:\.(\d*))?(?:([eE][-+]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const binary = BINARY.indexOf(suffix);
  const power = exponent === undefined ? (POWERS_OF_TEN[suffix] ?? 0) : Number(exponent.slice(1));
  const factor = binary < 0 ? 1n : 1024n ** BigInt(binary + 1);
  // Quantities are rounded up to billionths.
  const shift = 9 + power - fraction.length;
  const digits = BigInt(`${whole}${fraction}`) * factor;
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  const billionths = (digits * 10n ** BigInt(Math.max(0, shift)) + divisor - 1n) / divisor;
  return `${sign === '-' && billionths > 0n ? '-' : ''}${billionths}n`;
}

function timeOf(text: string): string | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(Math.floor(ms / 1000) * 1000).toISOString();
}

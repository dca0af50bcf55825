/** Semantic versions as the library Masterminds/semver reads them: with `v` before, and without minor and patch. */

import {
  FunctionError,
  type GoFunction,
  GoInteger,
  type GoMethods,
  GoObject,
  INTEGER_TYPES,
  int,
  type TypeName,
  type Value,
} from '../../values/value.ts';
import { Failure, objectType } from '../define.ts';

export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Without hyphen. Empty: a release. */
  readonly prerelease: string;
  /** Without plus sign. */
  readonly metadata: string;
  /** The text that was parsed. */
  readonly original: string;
}

/** Longer texts are no versions. */
const MAX_LENGTH = 1000;
const LOOSE =
  /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const MAX_UINT64 = 2n ** 64n - 1n;

/** @throws Failure */
export function parseVersion(text: string): Version {
  const match = text.length > MAX_LENGTH ? null : LOOSE.exec(text);
  if (!match) throw new Failure('invalid semantic version');
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  for (const part of prerelease.split('.')) {
    if (/^0\d+$/.test(part)) throw new Failure('version segment starts with 0');
  }
  return {
    major: segment(major),
    minor: segment(minor),
    patch: segment(patch),
    prerelease,
    metadata,
    original: text,
  };
}

function segment(digits: string): bigint {
  const value = BigInt(digits);
  if (value <= MAX_UINT64) return value;
  throw new Failure(
    `error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`,
  );
}

/** Without the v, with all segments. */
export function versionText({ major, minor, patch, prerelease, metadata }: Version): string {
  const suffix = (prerelease && `-${prerelease}`) + (metadata && `+${metadata}`);
  return `${major}.${minor}.${patch}${suffix}`;
}

/** Negative, 0 or positive. Metadata does not count. */
export function compareVersions(one: Version, other: Version): number {
  return (
    compareNumbers(one.major, other.major) ||
    compareNumbers(one.minor, other.minor) ||
    compareNumbers(one.patch, other.patch) ||
    comparePrereleases(one.prerelease, other.prerelease)
  );
}

const compareNumbers = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

/** A release is after its prereleases. */
export function comparePrereleases(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '' || other === '') return one === '' ? 1 : -1;
  const ones = one.split('.');
  const others = other.split('.');
  for (let i = 0; i < Math.max(ones.length, others.length); i++) {
    const order = compareParts(ones[i] ?? '', others[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers are before other parts; a missing part is before all. */
function compareParts(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '' || other === '') return one === '' ? -1 : 1;
  if (isNumber(one) && isNumber(other)) return BigInt(one) > BigInt(other) ? 1 : -1;
  if (isNumber(one) || isNumber(other)) return isNumber(one) ? -1 : 1;
  return one > other ? 1 : -1;
}

const isNumber = (part: string): boolean => /^\d+$/.test(part) && BigInt(part) <= MAX_UINT64;

/* *semver.Version as a value of templates, with the methods that one can call. */

const POINTER: TypeName = '*semver.Version';
const STRUCT: TypeName = 'semver.Version';
/** The zero value of a version. */
export const NO_VERSION: Version = { ...parseVersion('0.0.0'), original: '' };

export const versionValue = (version: Version): GoObject => new GoObject<unknown>(POINTER_TYPE, version);

/** What `semver` gives for a text that is no version. */
export const nilVersion = (): GoObject => new GoObject<unknown>(POINTER_TYPE, NO_VERSION, true);

/** The version of a value; undefined for nil and other values. */
export const versionIn = (value: Value | undefined): Version | undefined =>
  value instanceof GoObject && !value.isNil && (value.type === POINTER_TYPE || value.type === STRUCT_TYPE)
    ? (value.content as Version)
    : undefined;

function receiverVersion(value: Value | undefined): Version {
  const version = versionIn(value);
  if (version) return version;
  throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
}

const method =
  (result: (version: Version) => Value) =>
  (receiver: Value): GoFunction => ({ parameters: [], call: () => result(receiverVersion(receiver)) });

const comparison =
  (result: (order: number) => Value) =>
  (receiver: Value): GoFunction => ({
    parameters: [POINTER],
    call: ([other]) => result(compareVersions(receiverVersion(receiver), receiverVersion(other))),
  });

const uint64 = (value: bigint): GoInteger => new GoInteger(INTEGER_TYPES.uint64, value);

/** A version that is made of another keeps its v. */
function derived(version: Version, change: Partial<Version>): Value {
  const next = { ...version, prerelease: '', metadata: '', ...change };
  const original = (version.original.startsWith('v') ? 'v' : '') + versionText(next);
  return new GoObject<unknown>(STRUCT_TYPE, { ...next, original });
}

const setter =
  (change: (version: Version, text: string) => Value) =>
  (receiver: Value): GoFunction => ({
    parameters: ['string'],
    call: ([text]) => {
      try {
        return change(receiverVersion(receiver), typeof text === 'string' ? text : '');
      } catch (error) {
        throw error instanceof Failure ? new FunctionError(error.message) : error;
      }
    },
  });

function checked(text: string, pattern: RegExp, message: string): string {
  if (text !== '' && !pattern.test(text)) throw new Failure(message);
  return text;
}

const PARTS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;

const VALUE_METHODS: GoMethods = {
  IncMajor: method((version) => derived(version, { major: version.major + 1n, minor: 0n, patch: 0n })),
  IncMinor: method((version) => derived(version, { minor: version.minor + 1n, patch: 0n })),
  IncPatch: method((version) =>
    derived(version, version.prerelease === '' ? { patch: version.patch + 1n } : {}),
  ),
  Major: method((version) => uint64(version.major)),
  Metadata: method((version) => version.metadata),
  Minor: method((version) => uint64(version.minor)),
  Patch: method((version) => uint64(version.patch)),
  Prerelease: method((version) => version.prerelease),
  SetMetadata: setter((version, text) =>
    derived(version, {
      prerelease: version.prerelease,
      metadata: checked(text, PARTS, 'invalid metadata string'),
    }),
  ),
  SetPrerelease: setter((version, text) => {
    checked(text, PARTS, 'invalid prerelease string');
    checked(text, /^(?!.*(?:^|\.)0\d+(?:\.|$))/, 'version segment starts with 0');
    return derived(version, { prerelease: text, metadata: version.metadata });
  }),
  String: method(versionText),
};

const POINTER_METHODS: GoMethods = {
  ...VALUE_METHODS,
  Compare: comparison(int),
  Equal: comparison((order) => order === 0),
  GreaterThan: comparison((order) => order > 0),
  GreaterThanEqual: comparison((order) => order >= 0),
  LessThan: comparison((order) => order < 0),
  LessThanEqual: comparison((order) => order <= 0),
  Original: method((version) => version.original),
};

const POINTER_TYPE = objectType<Version>({
  name: POINTER,
  methods: POINTER_METHODS,
  text: versionText,
  equal: (one, other) => versionText(one) === versionText(other) && one.original === other.original,
});

const STRUCT_TYPE = objectType<Version>({
  name: STRUCT,
  methods: VALUE_METHODS,
  text: versionText,
  equal: (one, other) => versionText(one) === versionText(other) && one.original === other.original,
});

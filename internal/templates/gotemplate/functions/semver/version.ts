/** Semantic versions as the library Masterminds/semver reads them: with `v` before, and without minor and patch. */
import { Failure } from '../define.ts';

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

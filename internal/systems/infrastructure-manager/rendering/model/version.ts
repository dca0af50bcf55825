/** Versions as Masterminds/semver reads them: one to three numbers, optionally after `v`. */
interface Version {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

const FORM =
  /^v?(\d{1,20})(?:\.(\d{1,20}))?(?:\.(\d{1,20}))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const MAX_LENGTH = 256;

function parse(text: string): Version | undefined {
  const match = text.length > MAX_LENGTH ? null : FORM.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = match;
  return {
    numbers: [major, minor, patch].map(BigInt),
    prerelease: prerelease === undefined ? [] : prerelease.split('.'),
  };
}

/**
 * Negative if `a` is the older version, 0 if they are equal, positive if it is the newer one; build metadata (`+…`) does not count.
 * Undefined if one of them is no version.
 */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return undefined;
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

/** The rules of semver.org §11: a release comes after its prereleases, numbers before words. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : 0;
}

function compareParts(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  const [left, right] = isNumber ? [BigInt(a), BigInt(b)] : [a, b];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** `live` if it is newer, since Gardener upgrades by itself and refuses older versions; else `wanted`. */
export const newerVersion = (wanted: string, live: string | undefined): string =>
  live !== undefined && (compareVersions(live, wanted) ?? 0) > 0 ? live : wanted;

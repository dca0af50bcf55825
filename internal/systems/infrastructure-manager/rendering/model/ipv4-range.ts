/** A range of IPv4 addresses in CIDR notation. Addresses are whole numbers, without floating point. */
export interface Ipv4Range {
  readonly first: bigint;
  readonly last: bigint;
  /** 0 to 32. */
  readonly prefixLength: number;
}

const BITS = 32;
const FORM = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

/** An address and the length of its prefix. The address may be any of the range. Undefined: the text is no such range. */
export function parseIpv4Prefix(
  text: string,
): { readonly address: bigint; readonly prefixLength: number } | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1);
  // Programs disagree about the base of a number such as 010.
  if (numbers.some((number) => number.length > 1 && number.startsWith('0'))) return undefined;
  const [a = 0n, b = 0n, c = 0n, d = 0n, length = 0n] = numbers.map(BigInt);
  if ([a, b, c, d].some((part) => part > 255n) || length > 32n) return undefined;
  return { address: (a << 24n) | (b << 16n) | (c << 8n) | d, prefixLength: Number(length) };
}

/** The range of that prefix length that has the address. */
export function rangeOf(address: bigint, prefixLength: number): Ipv4Range {
  const size = sizeOf(prefixLength);
  const first = address - (address % size);
  return { first, last: first + size - 1n, prefixLength };
}

/** Undefined: the text is no range. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  const prefix = parseIpv4Prefix(text);
  return prefix && rangeOf(prefix.address, prefix.prefixLength);
}

/** How many addresses a range has. */
export const sizeOf = (prefixLength: number): bigint => 1n << BigInt(BITS - prefixLength);

export const formatRange = ({ first, prefixLength }: Ipv4Range): string =>
  `${[24n, 16n, 8n, 0n].map((shift) => (first >> shift) & 255n).join('.')}/${prefixLength}`;

export const contains = (outer: Ipv4Range, inner: Ipv4Range): boolean =>
  outer.first <= inner.first && inner.last <= outer.last;

export const overlaps = (a: Ipv4Range, b: Ipv4Range): boolean => a.first <= b.last && b.first <= a.last;

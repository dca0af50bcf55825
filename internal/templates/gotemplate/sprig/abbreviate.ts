import { byteLength, sliceBytes } from '../values/text.ts';

/** At most `width` bytes of a text, from about an offset, with an ellipsis for what is left out. */
export function abbreviateBytes(text: string, offset: bigint, width: bigint): string {
  if (width < 4n || text === '') return text;
  const length = BigInt(byteLength(text));
  if (length <= width) return text;
  const kept = width - 3n;
  let from = offset > length ? length : offset;
  if (length - from < kept) from = length - kept;
  const slice = (start: bigint, end: bigint) => sliceBytes(text, Number(start), Number(end));
  if (from <= 4n) return `${slice(0n, kept)}...`;
  if (width < 7n) return '';
  if (from + kept < length) return `...${abbreviateOrNothing(slice(from, length), kept)}`;
  return `...${slice(length - kept, length)}`;
}

const abbreviateOrNothing = (text: string, width: bigint): string =>
  width < 4n ? '' : abbreviateBytes(text, 0n, width);

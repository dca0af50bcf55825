/**
 * Subnets of zones as the documentation of the Go program describes them, computed in another way than the renderer: by walking
 * through the range with 32-bit numbers, block after block.
 */

const toNumber = (address: string): number =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
const toAddress = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** A range by its first and last address. */
export function bounds(range: string): readonly [first: number, last: number] {
  const [address = '', length = ''] = range.split('/');
  const first = toNumber(address);
  return [first, first + 2 ** (32 - Number(length)) - 1];
}

/** Takes blocks of the range one after another. */
function blocksOf(nodes: string) {
  const [address = '', length = ''] = nodes.split('/');
  let next = toNumber(address);
  return {
    prefix: Number(length),
    take: (prefix: number): string => {
      const block = `${toAddress(next)}/${prefix}`;
      next += 2 ** (32 - prefix);
      return block;
    },
  };
}

/** @param nodes its address is the first of the range */
export function awsSubnets(nodes: string, count: number) {
  const { prefix, take } = blocksOf(nodes);
  return Array.from({ length: count }, (_, index) => {
    const [workers, others] = index < 3 ? [prefix + 3, prefix + 4] : [prefix + 6, prefix + 6];
    return { workers: take(workers), public: take(others), internal: take(others) };
  });
}

/** @param nodes its address is the first of the range */
export function azureSubnets(nodes: string, count: number): string[] {
  const { prefix, take } = blocksOf(nodes);
  return Array.from({ length: count }, () => take(prefix + 3));
}

import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { createNetwork, type NetworkFault } from './network.ts';

/** Writes the same twice. @returns whether the process could know at the second time what the first one did */
async function writesTwice(fault: NetworkFault | undefined): Promise<boolean | undefined> {
  const clock = createFakeClock();
  const network = createNetwork(clock);
  const certain: boolean[] = [];
  const client = network.connect(
    { isDead: false },
    {
      name: 'inventory',
      lost: () => new Error('connection reset'),
      refused: (status) => new Error(`answered ${status}`),
      gateway: ({ status }) => new Error(`a gateway answered ${status}`),
      writes: new Set(['put']),
      subject: (_method, [given]) => String(given),
      onWrite: (_method, _args, isCertain) => void certain.push(isCertain),
    },
    { put: async (_id: string, _options?: { readonly signal: AbortSignal }) => undefined },
  );
  if (fault !== undefined) network.add('inventory', fault, 1);
  const giveUp = new AbortController();
  const first = client.put('a', { signal: giveUp.signal }).catch(() => undefined);
  if (fault?.kind === 'slow') giveUp.abort();
  await first;
  await client.put('a');
  return certain.at(-1);
}

test.each<{ readonly what: string; readonly fault: NetworkFault | undefined; readonly isCertain: boolean }>([
  { what: 'its answer came', fault: undefined, isCertain: true },
  { what: 'its answer was lost', fault: { kind: 'cut', when: 'after' }, isCertain: false },
  { what: 'its client did not wait for the answer', fault: { kind: 'slow', ms: 1000 }, isCertain: false },
])('when $what, the process can know what its write did: $isCertain', async ({ fault, isCertain }) => {
  expect(await writesTwice(fault)).toBe(isCertain);
});

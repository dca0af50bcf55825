import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import type { KubeClient } from '../../../../framework/kube/client/client.ts';
import { KubeApiError } from '../../../../framework/kube/errors/errors.ts';
import { createSecretKubeconfigs } from './secret-kubeconfigs.ts';

const { signal } = new AbortController();
const TTL_MS = 60_000;

/** Secrets by name, and how often each was read. */
function start(secrets: Map<string, string>, random = () => 0) {
  const clock = createFakeClock();
  const reads: string[] = [];
  const get = async (_type: unknown, { namespace = '', name }: { namespace?: string; name: string }) => {
    reads.push(`${namespace}/${name}`);
    const config = secrets.get(name);
    if (config === undefined) throw notFound();
    return { metadata: { name }, data: { config: Buffer.from(config).toString('base64') } };
  };
  const client = { get } as unknown as Pick<KubeClient, 'get'>;
  return { clock, reads, source: createSecretKubeconfigs({ client, clock, random, ttlMs: TTL_MS }) };
}

const notFound = () =>
  new KubeApiError({ verb: 'read', object: 'Secret', clusterName: 'the control plane' }, { httpStatus: 404 });

test('a kubeconfig is read once within its time, and again after it', async () => {
  const secrets = new Map([['kubeconfig-a', 'first']]);
  const { source, clock, reads } = start(secrets);
  expect(await source.read('a', signal)).toBe('first');
  secrets.set('kubeconfig-a', 'second');
  await clock.advance(TTL_MS - 1);
  expect(await source.read('a', signal)).toBe('first');
  expect(await source.readAgain('a', signal)).toBe('second');
  await clock.advance(TTL_MS);
  await source.read('a', signal);
  expect(reads).toEqual(Array(3).fill('kcp-system/kubeconfig-a'));
});

test('[R84] a missing kubeconfig is looked for again after the usual time, at most a third later', async () => {
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (draw) => {
      const { source, clock, reads } = start(new Map(), () => draw);
      expect(await source.read('a', signal)).toBeUndefined();
      await clock.advance(TTL_MS - 1);
      expect(await source.read('a', signal)).toBeUndefined();
      expect(reads).toHaveLength(1);
      await clock.advance(TTL_MS / 3 + 2);
      await source.read('a', signal);
      expect(reads).toHaveLength(2);
    }),
    { numRuns: 20 },
  );
});

test('a runtime id that no Secret can be named after has none', async () => {
  const { source, reads } = start(new Map());
  for (const id of ['', 'UPPER', 'a/../b', 'x'.repeat(300)])
    expect(await source.read(id, signal)).toBeUndefined();
  expect(reads).toEqual([]);
});

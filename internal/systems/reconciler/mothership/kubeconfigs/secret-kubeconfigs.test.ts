import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { commonName, signedCertificate } from '../../../../framework/base/x509/signed-certificate.ts';
import { EndpointRefusedError } from '../../../../framework/http/index.ts';
import type { KubeClient } from '../../../../framework/kube/client/client.ts';
import { base64, withUser } from '../../../../framework/kube/config/untrusted-kubeconfig.fixture.ts';
import { KubeApiError } from '../../../../framework/kube/errors/errors.ts';
import { type ClusterAccess, currentKubeconfig } from './cluster-access.ts';
import { createMigrationCheck } from './migrated-components.ts';
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

/** A kubeconfig whose client certificate is of `from` until `to`. */
function expiring(from: number, to: number): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const name = commonName('kyma');
  const cert = signedCertificate(
    { subject: name, key: privateKey, notBefore: from, notAfter: to, extensions: [] },
    { name, key: privateKey },
  );
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return withUser({ 'client-certificate-data': base64(cert), 'client-key-data': base64(key) });
}

test.each([
  { what: 'half of the time that is left', leftMs: 60_000, heldMs: 30_000 },
  { what: 'its time', leftMs: 86_400_000, heldMs: TTL_MS },
  { what: 'a moment', leftMs: -1000, heldMs: 10_000 },
])(
  'a kubeconfig whose certificate expires in $leftMs ms is kept for $what, since it is rotated before',
  async ({ leftMs, heldMs }) => {
    const secrets = new Map<string, string>();
    const { source, clock } = start(secrets);
    const old = expiring(clock.now() - 3_600_000, clock.now() + leftMs);
    secrets.set('kubeconfig-a', old);
    expect(await source.read('a', signal)).toBe(old);
    secrets.set('kubeconfig-a', 'rotated');
    await clock.advance(heldMs - 1);
    expect(await source.read('a', signal)).toBe(old);
    await clock.advance(1);
    expect(await source.read('a', signal)).toBe('rotated');
  },
);

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

test('missing kubeconfigs are looked for again at different times', async () => {
  const { source, clock, reads } = start(new Map(), () => 0.9);
  await source.read('a', signal);
  await clock.advance(TTL_MS + (TTL_MS / 3) * 0.9 - 1);
  await source.read('a', signal);
  expect(reads).toHaveLength(1);
  await clock.advance(2);
  await source.read('a', signal);
  expect(reads).toHaveLength(2);
});

test.each(['', ' \n'])('a Secret with the kubeconfig %j has none', async (text) => {
  const { source } = start(new Map([['kubeconfig-a', text]]));
  expect(await source.read('a', signal)).toBeUndefined();
});

test('a runtime id that no Secret can be named after has none', async () => {
  const { source, reads } = start(new Map());
  for (const id of ['', 'UPPER', 'a/../b', 'x'.repeat(300)])
    expect(await source.read(id, signal)).toBeUndefined();
  expect(reads).toEqual([]);
});

describe('the kubeconfig of a registration', () => {
  const answers = {
    rotated: async () => 'rotated',
    none: async () => undefined,
    refused: async () => {
      throw new Error('forbidden');
    },
  };
  test.each([
    { of: 'operators', name: 'shop', stored: 'own', secret: 'rotated', expected: 'rotated' },
    { of: 'operators', name: 'shop', stored: 'own', secret: 'none', expected: 'own' },
    { of: 'operators', name: 'shop', stored: 'own', secret: 'refused', expected: 'own' },
    { of: 'operators', name: 'shop', stored: undefined, secret: 'none', expected: undefined },
    { of: 'operators', name: 'shop', stored: undefined, secret: 'refused', expected: 'forbidden' },
    { of: 'a tenant', name: 'team/shop', stored: 'own', secret: 'rotated', expected: 'own' },
    { of: 'a tenant', name: 'team/shop', stored: undefined, secret: 'rotated', expected: undefined },
  ] as const)('of $of: $stored, with a Secret: $secret', async ({ name, stored, secret, expected }) => {
    const read = answers[secret];
    const options = { runtimeId: 'r', runtimeName: name, stored, kubeconfigs: { read }, log: nopLogger };
    const found = currentKubeconfig(options, signal).catch((error: Error) => error.message);
    expect(await found).toBe(expected);
  });
});

test.each([
  { title: 'without the CRD', listed: notFound(), migrated: [] },
  { title: 'whose list fails', listed: new Error('no answer'), migrated: ['btp-operator'] },
  { title: 'whose kubeconfig cannot be read', opened: new Error('no answer'), migrated: ['btp-operator'] },
  { title: 'that must not be called', opened: new EndpointRefusedError('10.0.0.1'), migrated: [] },
])('of a cluster $title, the components that something else manages are $migrated', async (given) => {
  const list = async () => {
    throw given.listed;
  };
  const withClient: ClusterAccess['withClient'] = async (_, work) => {
    if (given.opened !== undefined) throw given.opened;
    return work({ list } as unknown as KubeClient);
  };
  const crd = { group: 'example.org', version: 'v1', plural: 'operators' };
  const check = createMigrationCheck({
    log: nopLogger,
    crds: new Map([['btp-operator', crd]]),
    kubeconfigOf: async () => 'kubeconfig',
    access: { withClient },
  });
  expect([...(await check('r', ['btp-operator', 'istio']))]).toEqual(given.migrated);
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { nopLogger, nopMetrics } from '../../../framework/base/telemetry/telemetry.ts';
import { createInformers } from '../../../framework/kube/cache/informers.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { secretsOfBindings } from './bound-secret.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';

const key = { namespace: 'shop', name: 'orders-secret' };

const h = forEachTest(startHarnessWithInstance);
beforeEach(async () => {
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

const reads = () =>
  h.client.requests.filter(({ verb, type }) => verb === 'get' && type.kind === 'Secret').length;
/** A change that requests a reconcile and is no reason to ask Service Manager. */
const touch = async (value: string) => {
  await h.patchStatus({ subaccountID: value });
  await h.wait(100);
};

test('of all Secrets of the cluster, only those of bindings are watched', async () => {
  await h.putSecret('other', {});
  const { client, clock } = h;
  const cache = secretsOfBindings(createInformers({ client, clock, log: nopLogger, metrics: nopMetrics }));
  const stop = cache.start();
  await h.wait(10);
  const watched = cache.list().map(({ metadata }) => metadata.name);
  expect(watched).toContain('orders-secret');
  expect(watched).not.toContain('other');
  stop();
});

test('a change of labels of others costs one read of the Secret, not one in each reconcile', async () => {
  const before = reads();
  await h.client.mergePatch(secrets, key, { metadata: { labels: { team: 'shop' } } });
  await touch('1');
  await touch('2');
  await touch('3');
  expect(reads() - before).toBe(1);
});

describe('a Secret that lost its label, so that it is not watched', () => {
  const label = 'services.cloud.sap.com/managed-by-sap-btp-operator';

  test('is repaired, and then costs no more reads', async () => {
    await h.client.mergePatch(secrets, key, { metadata: { labels: { [label]: null } } });
    await h.wait(100);
    expect(h.client.peek(secrets, key)?.metadata.labels).toHaveProperty([label], 'true');
    const before = reads();
    await touch('1');
    expect(reads() - before).toBe(0);
  });
});

test('the Secret of another object is not taken for one of a binding of another program', async () => {
  await h.stop();
  await h.patchStatus({ secretVersion: null });
  await h.client.mergePatch(secrets, key, {
    metadata: { ownerReferences: null },
    data: { password: 'eA==' },
  });
  await h.restart();
  expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed the specified secret name/);
  expect(h.stored()?.status?.secretVersion).toBeUndefined();
  expect(h.secret()?.password).toBe('x');
});

test('a Secret whose last write the cache does not have yet is not written again', async () => {
  await h.stop();
  await h.client.mergePatch(secrets, key, { metadata: { labels: null } });
  const { uid, resourceVersion } = h.client.peek(secrets, key)?.metadata ?? {};
  await h.patchStatus({ secretVersion: `${uid}/${resourceVersion}` });
  h.sm.calls.splice(0);
  await h.restart();
  await touch('1');
  expect(h.sm.calls).toEqual([]);
});

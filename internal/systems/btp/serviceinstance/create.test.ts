/** What a create costs, and what is left of one that was not recorded. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { NotAdmittedError } from '../../../framework/base/concurrency/limit-key.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { sleep } from '../../../framework/base/time/clock.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { serviceInstances } from './resource.ts';

const h = forEachTest(startInstanceHarness);

/** Requests for the object after its creation by the test. */
const ownRequests = () =>
  h.client.requests
    .filter(
      ({ type, verb }) => type.kind === 'ServiceInstance' && !['list', 'watch', 'create'].includes(verb),
    )
    .map(({ verb, subresource }) => (subresource ? `${verb} ${subresource}` : verb));

test('a create costs two writes, the finalizer and the result, and no read', async () => {
  await h.create();
  await h.wait(60_000);
  expect(ownRequests()).toEqual(['update', 'update status']);
});

describe('the credentials of a create', () => {
  /** What each call of `confirm` had as the result of an earlier one. */
  let confirmed: (string | undefined)[];
  beforeEach(() => {
    confirmed = [];
    h.confirm = async (_client, _signal, known) => {
      confirmed.push(known);
      return 'both Secrets';
    };
  });
  const failOnce = (call: 'createInstance' | 'findInstances', error: Error) => {
    const act = h.sm.client[call];
    const fail = async () => {
      Object.assign(h.sm.client, { [call]: act });
      throw error;
    };
    Object.assign(h.sm.client, { [call]: fail });
  };

  test('are confirmed once for an instance that waits for a slot of Service Manager', async () => {
    failOnce('findInstances', new NotAdmittedError([]));
    await h.create();
    await h.wait(100);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(confirmed).toEqual([undefined, 'both Secrets']);
  });

  test('are confirmed again after a create that was sent', async () => {
    failOnce('createInstance', new ProviderError('transient', 'no response'));
    await h.create();
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(confirmed).toEqual([undefined, undefined]);
  });

  test('that cannot be confirmed are a failed create, which is retried', async () => {
    const { confirm } = h;
    h.confirm = async () => {
      h.confirm = confirm;
      throw new ProviderError('transient', 'out of order');
    };
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed out of order');
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('that were replaced meanwhile are not used', async () => {
    h.confirm = async () => {
      throw new ProviderError('conflict', 'Secret shop/other was created meanwhile');
    };
    await h.create();
    await h.wait(10_000);
    expect(h.sm.count('create')).toBe(0);
  });
});

describe.each(['createInstance', 'findInstances'] as const)('a create whose %s takes long', (call) => {
  beforeEach(() => {
    const act = h.sm.client[call] as (...given: unknown[]) => unknown;
    const delayed = async (...given: unknown[]) => {
      await sleep(h.clock, 30_000);
      return act(...given);
    };
    Object.assign(h.sm.client, { [call]: delayed });
  });

  test('shows that it is in progress after a moment', async () => {
    await h.create();
    await h.wait(4900);
    expect(h.condition('Succeeded')).toBeUndefined();
    await h.wait(200);
    expect(h.condition('Succeeded')).toBe('False CreateInProgress Pending');
    expect(h.stored()?.status?.operationType).toBe('create');
    await h.wait(30_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(ownRequests()).toEqual(['update', 'update status', 'update status']);
    expect(h.recorder.lines()).toEqual(['Normal Created: ServiceInstance provisioned successfully']);
  });

  test('is done although the object was edited meanwhile', async () => {
    await h.create({ parameters: { size: 1 } });
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait(120_000);
    expect(h.condition('Succeeded')).toMatch(/^True/);
    expect([...h.sm.instances.values()]).toMatchObject([{ parameters: { size: 2 } }]);
    expect(h.sm.count('create')).toBe(1);
  });
});

describe('a create whose result was not recorded before the process ended', () => {
  beforeEach(async () => {
    await h.create({ parameters: { size: 1 } });
    await h.stop();
    // As it was before the status was written.
    const { status: _, ...created } = h.stored() ?? {};
    await h.client.delete(serviceInstances, { namespace: 'shop', name: 'orders' });
    h.client.seed(serviceInstances, created as never);
  });

  test('is found in Service Manager', async () => {
    await h.restart();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect([h.sm.count('create'), h.sm.count('update')]).toEqual([1, 0]);
  });

  test('gets an edit that was made since then', async () => {
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.restart();
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect([...h.sm.instances.values()]).toMatchObject([{ parameters: { size: 2 } }]);
    expect(h.sm.count('create')).toBe(1);
  });

  test('is deleted in Service Manager with its object', async () => {
    await h.client.delete(serviceInstances, { namespace: 'shop', name: 'orders' });
    await h.restart();
    await h.wait(60_000);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.instances.size).toBe(0);
  });
});

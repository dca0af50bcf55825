import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../../framework/kube/index.ts';
import { managedByLabel } from '../../metadata.ts';
import { createFreeNames } from './free-names.ts';

const { signal } = new AbortController();

function setup(received: () => Promise<void> = async () => undefined) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const put = (name: string, labels: Record<string, string> = {}) =>
    client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'shop', name, labels } });
  const listMetadata: typeof client.listMetadata = async (...args) => {
    const page = await client.listMetadata(...args);
    await received();
    return page;
  };
  const names = createFreeNames({ client: { listMetadata }, clock });
  const isFree = (name: string) => names.isFree({ namespace: 'shop', name }, signal);
  const lists = () => client.requests.filter(({ verb }) => verb === 'list').length;
  return { clock, names, put, isFree, lists };
}

test('a name is free unless a Secret that is of no binding has it', async () => {
  const { clock, put, isFree } = setup();
  put('taken');
  put('of-a-binding', { [managedByLabel]: 'true' });
  const found = Promise.all([isFree('taken'), isFree('free'), isFree('of-a-binding')]);
  await clock.advance(0);
  expect(await found).toEqual([false, true, true]);
});

test('bindings that are created at the same time share a list that begins after them', async () => {
  const { clock, put, isFree, lists } = setup();
  const first = Promise.all(Array.from({ length: 100 }, (_, index) => isFree(`a-${index}`)));
  await clock.advance(0);
  expect((await first).every(Boolean)).toBe(true);
  expect(lists()).toBe(1);
  put('b-1');
  const second = Promise.all([isFree('b-1'), isFree('b-2')]);
  await clock.advance(100);
  expect(await second).toEqual([false, true]);
  expect(lists()).toBe(2);
});

test('a name is not free if a Secret got it after the list began that others wait for', async () => {
  let respond: () => void = () => undefined;
  const response = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const { clock, put, isFree } = setup(() => response);
  const first = isFree('a');
  await clock.advance(0);
  put('late');
  const second = isFree('late');
  respond();
  await clock.advance(100);
  expect([await first, await second]).toEqual([true, false]);
});

test('of the claims of 20,000 bindings, another one replaces the oldest', () => {
  const { names } = setup();
  const claim = (name: string, uid: string) =>
    names.claim({ namespace: 'shop', name }, { name, uid }, () => true);
  for (let index = 1; index <= 20_000; index++) claim(`secret-${index}`, 'first');
  // A claim that is repeated is the youngest, and replaces only itself.
  claim('secret-1', 'first');
  claim('secret-3', 'first');
  const others = (...names: string[]) => names.map((name) => claim(name, 'second')?.uid);
  expect(others('secret-1', 'secret-2', 'secret-3')).toEqual(['first', 'first', 'first']);
  claim('one-more', 'first');
  expect(others('secret-1', 'secret-3', 'secret-4', 'secret-2')).toEqual([
    'first',
    'first',
    'first',
    undefined,
  ]);
});

test('a namespace with many Secrets is not listed, for some time', async () => {
  const { clock, put, isFree, lists } = setup();
  for (let index = 0; index <= 50; index++) put(`other-${index}`);
  expect(await isFree('free')).toBe(false);
  expect(await isFree('free')).toBe(false);
  expect(lists()).toBe(1);
  await clock.advance(600_000);
  expect(await isFree('free')).toBe(false);
  expect(await isFree('free')).toBe(false);
  expect(lists()).toBe(2);
});

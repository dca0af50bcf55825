import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { apiError } from '../../../../framework/kube/fakes/memory-client.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { createKubeconfigCheck } from './kubeconfig-check.ts';

const documentOf = (account: string, runtimeID: string, kubeconfig: string): ClusterDocument =>
  ({
    ...{ runtimeID, kubeconfig, runtimeInput: { name: runtimeID, description: '' } },
    metadata: { globalAccountID: account, subAccountID: '' },
  }) as ClusterDocument;

/** Clusters whose kubeconfig is `silent` never answer. */
function setUp() {
  const clock = createFakeClock();
  let asking = 0;
  const { check } = createKubeconfigCheck({
    ...{ clock, log: nopLogger, secrets: undefined },
    access: {
      withClient: async (kubeconfig, work) =>
        await work({
          list: async (_, page) => {
            if (kubeconfig === 'answers') return { items: [] } as never;
            asking++;
            if (kubeconfig !== 'silent') throw apiError(Number(kubeconfig), 'refused');
            const { signal } = page ?? {};
            try {
              return await new Promise<never>((_, reject) =>
                signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
              );
            } finally {
              asking--;
            }
          },
        }),
    },
  });
  let ending = new AbortController();
  const refused: string[] = [];
  const register = (account: string, count: number, kubeconfig = 'silent') =>
    Array.from({ length: count }, (_, n) =>
      check(documentOf(account, `${account}-${n}`, kubeconfig), ending.signal).catch((error: unknown) => {
        refused.push(String((error as { refusal?: unknown }).refusal ?? error));
      }),
    );
  const end = async (all: readonly Promise<unknown>[]) => {
    ending.abort(new Error('the clients have gone'));
    await Promise.all(all);
    ending = new AbortController();
  };
  return { clock, end, refused, register, asking: () => asking };
}

test('registrations of one tenant whose clusters do not answer hold so many connections, and others are told to try later', async () => {
  const { clock, end, refused, register, asking } = setUp();
  const all = register('hostile', 300);
  await clock.advance(1000);
  expect([asking(), refused.length]).toEqual([128, 172]);
  await clock.advance(1500);
  expect(asking()).toBe(16);
  expect(refused).toEqual(Array(284).fill('busy'));
  // Another tenant has a share of its own, and a cluster that answers needs none.
  const others = [...register('honest', 3), ...register('hostile', 50, 'answers')];
  await clock.advance(3000);
  expect([asking(), refused.length]).toEqual([19, 284]);
  await end([...all, ...others]);
  expect(asking()).toBe(0);
});

test.each([
  { status: '401', requests: 1 },
  { status: '403', requests: 1 },
  { status: '500', requests: 4 },
])('a cluster that answers $status is asked $requests times', async ({ status, requests }) => {
  const { clock, refused, register, asking } = setUp();
  const all = register('account', 1, status);
  await clock.advance(60_000);
  await Promise.all(all);
  expect([refused, asking()]).toEqual([['invalid'], requests]);
});

test('many tenants hold so many together', async () => {
  const { clock, end, refused, register, asking } = setUp();
  const all = Array.from({ length: 40 }, (_, n) => register(`hostile-${n}`, 4)).flat();
  await clock.advance(2500);
  expect([asking(), refused.length]).toEqual([61, 99]);
  await end(all);
  // Their shares are free again, and those of clusters that have answered at once were never taken.
  const quick = Array.from({ length: 5 }, (_, n) => register(`quick-${n}`, 16, 'answers'));
  await Promise.all(quick.flat());
  await clock.advance(2500);
  const { length } = refused;
  const again = register('hostile-0', 16);
  await clock.advance(2500);
  expect([asking(), refused.length]).toEqual([16, length]);
  await end(again);
});

test('checks begin one after the other: what else is ready goes between them', async () => {
  const clock = createFakeClock();
  const happened: string[] = [];
  let busyMs = 0;
  const { check } = createKubeconfigCheck({
    ...{ log: nopLogger, secrets: undefined },
    // Each begin takes CPU time.
    clock: { ...clock, monotonic: () => busyMs },
    access: {
      withClient: async (kubeconfig, work) => {
        happened.push(kubeconfig);
        busyMs += 5;
        return await work({ list: async () => ({ items: [] }) as never });
      },
    },
  });
  const { signal } = new AbortController();
  const all = ['a', 'b', 'c', 'd'].map((name) => check(documentOf(name, name, name), signal));
  const others = () => {
    happened.push('others');
    if (happened.length < 10) setImmediate(others);
  };
  setImmediate(others);
  await Promise.all(all);
  const begun = happened.filter((each) => each !== 'others');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  expect(happened.slice(happened.indexOf('b'), happened.indexOf('d'))).toContain('others');
});

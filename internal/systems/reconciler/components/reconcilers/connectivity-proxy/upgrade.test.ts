import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../../../framework/kube/fakes/memory-client.ts';
import { configMaps } from '../../../../../framework/kube/index.ts';
import type { ActionContext } from '../../model/component.ts';
import { CONFIGURATION } from './own-objects.ts';
import { setTunnelHost, withoutExisting } from './upgrade.ts';

const FILE = 'connectivity-proxy-config.yml';

function setUp(text: string) {
  const client = createMemoryClient({ clock: createFakeClock() });
  const data = { [FILE]: text };
  client.seed(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...CONFIGURATION }, data });
  const context = { cluster: { client }, signal: new AbortController().signal } as unknown as ActionContext;
  return { context, stored: () => client.peek(configMaps, CONFIGURATION)?.data?.[FILE] };
}

const tunnel = 'servers:\n  businessDataTunnel: {externalHost: old.example}\n';

test('the host of the tunnel is replaced, and the rest of the configuration stays', async () => {
  const { context, stored } = setUp(`${tunnel}other: [1, yes, 'yes']\n`);
  await setTunnelHost(context, 'new.example');
  expect(stored()).toContain('externalHost: new.example');
  expect(stored()).toContain('other:\n  - 1\n  - true\n  - "yes"');
});

test('a configuration with as many values as may be costs the event loop little', async () => {
  const { context, stored } = setUp(`${tunnel}x: [${'[],'.repeat(8500)}]\n`);
  const before = process.threadCpuUsage();
  await setTunnelHost(context, 'new.example');
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(250);
  expect(stored()).toContain('new.example');
});

test('an object that is created once is looked for where the component goes', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const signal = new AbortController().signal;
  const cluster = { client, kinds: { find: async () => configMaps } };
  const context = { cluster, signal, task: { namespace: 'proxy' } } as unknown as ActionContext;
  const annotations = { 'reconciler.kyma-project.io/skip-rendering-on-upgrade': 'true' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'once', annotations } };
  const manifest = [{ object, source: 'chart' }];
  client.seed(configMaps, { ...object, metadata: { name: 'once', namespace: 'kyma-system' } });
  const [created] = await withoutExisting(context, manifest);
  // It stays when it is left out next.
  expect(created?.object.metadata.annotations).toMatchObject({
    ...annotations,
    'reconciler.kyma-project.io/prune': 'disabled',
  });
  client.seed(configMaps, { ...object, metadata: { name: 'once', namespace: 'proxy' } });
  expect(await withoutExisting(context, manifest)).toEqual([]);
});

/** Each has nine times what the one before has. */
const aliases = `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`).join('\n')}\n`;

const inKey = `? [&a0 [x], ${Array.from({ length: 12 }, (_, n) => `&a${n + 1} [${`*a${n},`.repeat(9)}]`).join(', ')}]\n: x\n`;

// The users of the cluster write the ConfigMap, and the event loop reads it.
test.each([
  ['many values', `${tunnel}x: [${'[],'.repeat(300_000)}]\n`],
  ['many lines', `${tunnel}x:\n${'- {a: 1, b: [c]}\n'.repeat(60_000)}`],
  ['one long text', `${tunnel}x: ${'y'.repeat(4_000_000)}\n`],
  ['many values within its size', `${tunnel}x: [${'[],'.repeat(18_000)}]\n`],
  ['aliases that expand', `${tunnel}${aliases}`],
  ['aliases that expand in a key', `${tunnel}${inKey}`],
  ['a key that contains itself', `${tunnel}? &a [*a]\n: x\n`],
])('a configuration with %s costs the event loop little', async (_, text) => {
  const { context, stored } = setUp(text);
  const before = process.threadCpuUsage();
  await expect(setTunnelHost(context, 'new.example')).rejects.toMatchObject({
    kind: 'terminal',
    message: expect.stringMatching(/^connectivity-proxy-config\.yml:\d+: .{1,500}$/),
  });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(250);
  expect(stored()).toBe(text);
});

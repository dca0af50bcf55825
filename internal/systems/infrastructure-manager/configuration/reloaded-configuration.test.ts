import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDeps } from '../../../framework/base/deps.ts';
import { createFakeMetrics } from '../../../framework/base/telemetry/fake-metrics.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { configurationOf } from '../rendering/fixtures/rendering.fixture.ts';
import { loadConfiguration } from './configuration.ts';
import { reloadedConfiguration } from './reloaded-configuration.ts';

let folder: string;
const ended: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'configuration-'));
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  await rm(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);

/** Replaces a file as the kubelet replaces one of a ConfigMap. */
async function replace(name: string, content: unknown): Promise<void> {
  await writeFile(file('new'), typeof content === 'string' ? content : JSON.stringify(content));
  await rename(file('new'), file(name));
}

const tenants = (tenantID: string) => ({
  aws: { 'eu-central-1': { tenantID, serviceURL: 'https://audit.example.org', secretName: 'audit' } },
});

/** @param afterRead called after each read of the files */
async function started(afterRead: () => Promise<void> = async () => undefined) {
  const { converter, cluster } = configurationOf();
  await replace('config.json', {
    cluster,
    converter: {
      ...converter,
      auditLogging: { ...converter.auditLogging, tenantConfigPath: file('tenants.json') },
      maintenanceWindow: { windowMapPath: file('windows.json') },
    },
  });
  await replace('tenants.json', tenants('one'));
  await replace('windows.json', { 'eu-central-1': { begin: '200000+0000', end: '230000+0000' } });
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const deps = {
    ...createDeps({ clock, log: nopLogger, metrics }),
    load: async (source: Parameters<typeof loadConfiguration>[0]) => {
      const loaded = await loadConfiguration(source);
      await afterRead();
      return loaded;
    },
  };
  const configuration = await reloadedConfiguration({ path: file('config.json'), project: 'kyma' }, deps);
  const stopping = new AbortController();
  const following = configuration.follow(stopping.signal);
  ended.push(() => {
    stopping.abort();
    return following;
  });
  let changes = 0;
  configuration.onChange(() => void changes++);
  return {
    configuration,
    changes: () => changes,
    isInvalid: () => metrics.value('infrastructure_manager_im_configuration_invalid'),
    tenant: () => configuration.current().auditTenants.get('aws')?.get('eu-central-1')?.tenantID,
    /** Ten seconds, of which files are read in real time. */
    wait: async (until: () => boolean) => {
      for (let i = 0; i < 2; i++) {
        await clock.advance(5000);
        for (let tries = 0; tries < 100 && !until(); tries++)
          await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

test('[I10.8] a file that was replaced is in use within ten seconds', async () => {
  const { configuration, changes, tenant, wait } = await started();
  expect([tenant(), configuration.revision()]).toEqual(['one', 0]);
  await replace('tenants.json', tenants('two'));
  await wait(() => changes() === 1);
  expect([tenant(), configuration.revision(), changes()]).toEqual(['two', 1, 1]);
  await wait(() => true);
  expect(changes()).toBe(1);
  await replace('windows.json', { 'eu-central-1': { begin: '010000+0000', end: '020000+0000' } });
  await wait(() => changes() === 2);
  expect(configuration.current().maintenanceWindows.get('eu-central-1')?.begin).toBe('010000+0000');
});

test('who no longer listens is not called', async () => {
  const { configuration, changes, wait } = await started();
  let calls = 0;
  const end = configuration.onChange(() => void calls++);
  await replace('tenants.json', tenants('two'));
  await wait(() => changes() === 1);
  end();
  await replace('tenants.json', tenants('three'));
  await wait(() => changes() === 2);
  expect([changes(), calls]).toEqual([2, 1]);
});

test('a file that is replaced while it is read is in use within ten seconds, however often', async () => {
  let replacements: (() => Promise<void>)[] = [];
  const { tenant, wait } = await started(async () => replacements.shift()?.());
  for (const count of [1, 2, 3, 5]) {
    const names = Array.from({ length: count }, (_, n) => `replaced-${count}-${n}`);
    replacements = names.map((name) => () => replace('tenants.json', tenants(name)));
    await replace('tenants.json', tenants(`first-${count}`));
    await wait(() => tenant() === names.at(-1));
    expect(tenant()).toBe(names.at(-1));
  }
});

test('a file that is replaced while the program starts is in use within ten seconds', async () => {
  const replacements = ['one', 'two', 'three'].map((name) => () => replace('tenants.json', tenants(name)));
  const { tenant, wait } = await started(async () => replacements.shift()?.());
  await wait(() => tenant() === 'three');
  expect(tenant()).toBe('three');
});

test('a file with a mistake changes nothing, and is reported until it is corrected', async () => {
  const { changes, tenant, isInvalid, wait } = await started();
  await replace('tenants.json', '{"aws": ');
  await wait(() => isInvalid() === 1);
  expect([tenant(), changes(), isInvalid()]).toEqual(['one', 0, 1]);
  await replace('tenants.json', tenants('three'));
  await wait(() => changes() === 1);
  expect([tenant(), changes(), isInvalid()]).toEqual(['three', 1, 0]);
});

test('a file that is named before it is there is in use when it is', async () => {
  const { tenant, isInvalid, wait } = await started();
  const { converter, cluster } = configurationOf();
  const auditLogging = { ...converter.auditLogging, tenantConfigPath: file('others.json') };
  const maintenanceWindow = { windowMapPath: '' };
  await replace('config.json', { cluster, converter: { ...converter, auditLogging, maintenanceWindow } });
  await wait(() => isInvalid() === 1);
  expect([tenant(), isInvalid()]).toEqual(['one', 1]);
  await replace('others.json', tenants('two'));
  await wait(() => tenant() === 'two');
  expect([tenant(), isInvalid()]).toEqual(['two', 0]);
});

test('a file that is gone for a moment changes nothing', async () => {
  const { changes, tenant, isInvalid, wait } = await started();
  await rm(file('windows.json'));
  await wait(() => isInvalid() === 1);
  expect([tenant(), changes()]).toEqual(['one', 0]);
  await replace('windows.json', {});
  await wait(() => changes() === 1 || isInvalid() === 1);
});

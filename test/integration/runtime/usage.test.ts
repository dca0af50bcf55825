import { describe, expect, test } from '@jest/globals';
import { events } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  inUseText,
  messageInUse,
} from '../../../internal/framework/managed/providerconfig/model/messages.ts';
import { eventually } from '../../environment/eventually.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import type { KubeEvent } from '../harness/mappings/managed-object.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';
import { type ConfigObject, createConfig, usageOf } from './config-environment.ts';

const inUse = 'in-use.crossplane.io';
const held = 'finalizer.providerconfigusage.crossplane.io';
/** The garbage collector discovers new kinds every half minute only. */
const often = { intervalMs: 50, timeoutMs: 60_000 };

const environment = forFile(startTestEnvironment, withoutViolations);

async function readyUser(config: ConfigObject): Promise<Scenario> {
  const scenario = await environment.scenario();
  await scenario.createReady({ spec: { providerConfigRef: { name: config.name } } });
  return scenario;
}

describe('a ProviderConfig', () => {
  test.concurrent('shows its users and stays until the last of them is deleted; their usages are cleaned up', async () => {
    const config = await createConfig(environment.management);
    await eventually(async () => expect((await config.find())?.metadata.finalizers).toEqual([inUse]), often);
    const [first, second] = [await readyUser(config), await readyUser(config)];
    await config.untilUsers(2);
    await config.delete();
    await first.delete();
    await first.untilGone();
    const blocked = await config.untilUsers(1);
    expect(blocked.status?.conditions).toEqual([
      expect.objectContaining({
        type: 'Terminating',
        status: 'True',
        reason: 'InUse',
        message: inUseText(
          1,
          `kubectl get providerconfigusages.hana.sap.crossplane.io -l crossplane.io/provider-config=${config.name}`,
        ),
      }),
    ]);
    const reported = await eventually(async () => {
      const fieldSelector = `involvedObject.name=${config.name}`;
      const about = await environment.management.list<KubeEvent>(events, 'default', { fieldSelector });
      expect(about).not.toEqual([]);
      return about;
    });
    expect(reported[0]).toMatchObject({
      type: 'Warning',
      reason: 'UsageAccounting',
      message: expect.stringContaining(messageInUse),
    });
    await second.delete();
    await second.untilGone();
    await config.untilGone();
    expect(await config.usages()).toEqual([]);
  });
});

describe('the usage of a mapping', () => {
  test.concurrent('outlasts the foreground deletion of its mapping until HANA Cloud has none left', async () => {
    const config = await createConfig(environment.management);
    const scenario = await readyUser(config);
    await config.untilUsers(1);
    const mapping = await scenario.get();
    const fault = scenario.hana.fault({}, { kind: 'unavailable' });
    await scenario.delete('Foreground');
    await eventually(
      async () =>
        expect((await usageOf(environment.management, mapping))?.metadata.deletionTimestamp).toBeDefined(),
      often,
    );
    expect((await usageOf(environment.management, mapping))?.metadata.finalizers).toContain(held);
    await config.delete();
    expect((await config.untilUsers(1)).metadata.finalizers).toEqual([inUse]);
    fault.remove();
    await scenario.untilGone(60_000);
    expect(scenario.mappings()).toEqual([]);
    await config.untilGone();
    expect(await config.usages()).toEqual([]);
  });
});

describe('a mapping', () => {
  test('is deleted without a conflict on its usage, which the garbage collector deletes at the same time', async () => {
    const config = await createConfig(environment.management);
    const deleteAll = async (users: readonly Scenario[]) => {
      await Promise.all(users.map((user) => user.delete()));
      await Promise.all(users.map((user) => user.untilGone(120_000)));
      await eventually(async () => expect(await config.usages()).toEqual([]), often);
    };
    // Once its usage is gone, the garbage collector knows the kind.
    await deleteAll([await readyUser(config)]);
    const users = await Promise.all(Array.from({ length: 20 }, () => environment.scenario()));
    for (const user of users) {
      await user.applySources();
      await user.create({ spec: { providerConfigRef: { name: config.name } } });
    }
    const mappings = await Promise.all(users.map((user) => user.untilReady(120_000)));
    await deleteAll(users);
    // Usages of other tests on this API server may have conflicts.
    const own = new Set(mappings.map(({ metadata }) => metadata.uid));
    const about = (await environment.planes.management.auditEvents('providerconfigusages')).filter(
      ({ objectRef }) => objectRef?.resource === 'providerconfigusages' && own.has(objectRef.name),
    );
    expect(new Set(about.map(({ objectRef }) => objectRef?.name))).toEqual(own);
    expect(about.filter(({ responseStatus }) => responseStatus?.code === 409)).toEqual([]);
  }, 300_000);
});

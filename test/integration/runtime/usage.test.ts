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
import { type ConfigObject, configObject, createConfig, usageOf } from './config-environment.ts';

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

  test.concurrent('without users is deleted immediately', async () => {
    const config = await createConfig(environment.management);
    await eventually(async () => expect((await config.find())?.metadata.finalizers).toEqual([inUse]), often);
    await config.delete();
    await config.untilGone();
  });

  test.concurrent('loses a user that now refers to another one', async () => {
    const [old, other] = [
      await createConfig(environment.management),
      await createConfig(environment.management),
    ];
    const scenario = await readyUser(old);
    await old.untilUsers(1);
    await scenario.patch({ spec: { providerConfigRef: { name: other.name } } });
    await Promise.all([old.untilUsers(0), other.untilUsers(1)]);
    await old.delete();
    await old.untilGone();
    expect(await old.usages()).toEqual([]);
    expect(await other.usages()).toHaveLength(1);
  });

  test.concurrent('is held by a mapping that waits for its sources as well', async () => {
    const config = await createConfig(environment.management);
    const scenario = await environment.scenario();
    const mapping = await scenario.create({ spec: { providerConfigRef: { name: config.name } } });
    await scenario.untilReason('Synced', 'Waiting');
    await config.untilUsers(1);
    expect((await usageOf(environment.management, mapping))?.metadata.finalizers).toBeUndefined();
    await scenario.delete();
    await scenario.untilGone();
    await eventually(async () => expect(await config.usages()).toEqual([]), often);
    await config.untilUsers(0);
  });
});

describe('the usage of a mapping', () => {
  test.concurrent("names both, is owned by the mapping and held until the mapping's finalizer is removed", async () => {
    const config = await createConfig(environment.management);
    const scenario = await readyUser(config);
    const { apiVersion, kind, metadata } = await scenario.get();
    const { uid, name } = metadata;
    expect(await config.usages()).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: uid,
          labels: { 'crossplane.io/provider-config': config.name },
          finalizers: [held],
          ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
        }),
        providerConfigRef: { name: config.name },
        resourceRef: { apiVersion, kind, name },
      }),
    ]);
  });

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

  test.concurrent('is deleted although its mapping was deleted before it had a finalizer of its own', async () => {
    const config = await createConfig(environment.management);
    const scenario = await environment.scenario();
    await scenario.applySources();
    scenario.hana.fault({}, { kind: 'unavailable' });
    const mapping = await scenario.create({ spec: { providerConfigRef: { name: config.name } } });
    await eventually(
      async () =>
        expect((await usageOf(environment.management, mapping))?.metadata.finalizers).toEqual([held]),
      often,
    );
    await scenario.delete();
    await scenario.untilGone();
    await eventually(async () => expect(await config.usages()).toEqual([]), often);
  });

  test.concurrent('is deleted with a mapping that is orphaned', async () => {
    const config = await createConfig(environment.management);
    const scenario = await readyUser(config);
    await scenario.patch({ spec: { deletionPolicy: 'Orphan' } });
    await scenario.delete();
    await scenario.untilGone();
    await eventually(async () => expect(await config.usages()).toEqual([]), often);
    expect(scenario.mappings()).toHaveLength(1);
  });
});

describe('a mapping', () => {
  test.concurrent('needs no ProviderConfig where it names none', async () => {
    const scenario = await environment.scenario();
    const mapping = await scenario.createReady();
    expect(mapping.spec.providerConfigRef).toEqual({ name: 'default' });
    expect((await usageOf(environment.management, mapping))?.providerConfigRef).toEqual({ name: 'default' });
  });

  test.concurrent('that names a missing one reports it, and goes on shortly after its appearance', async () => {
    const config = configObject(environment.management);
    const scenario = await environment.scenario();
    await scenario.applySources();
    await scenario.create({ spec: { providerConfigRef: { name: config.name } } });
    const synced = await scenario.untilReason('Synced', 'ReconcileError');
    const message = `connect failed: ProviderConfig ${config.name} not found; create it, or correct spec.providerConfigRef`;
    expect(synced.message).toBe(message);
    expect(await scenario.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Unavailable',
      message,
    });
    expect(await scenario.untilEvent('CannotConnectToProvider')).toHaveLength(1);
    expect(scenario.hana.calls()).toEqual([]);
    await config.create();
    await scenario.untilReady();
    await config.untilUsers(1);
  });

  test('costs one write for its usage when it is new, and none later', async () => {
    const config = await createConfig(environment.management);
    const scenario = await readyUser(config);
    const { metadata } = await scenario.get();
    await scenario.reconcile();
    const asked = await environment.planes.management.auditEvents(metadata.uid ?? '');
    const about = asked.filter(({ objectRef }) => objectRef?.name === metadata.uid);
    expect(about.map(({ verb }) => verb)).toEqual(['create']);
  });

  test('is deleted without a conflict on its usage, which the garbage collector deletes at the same time', async () => {
    const config = await createConfig(environment.management);
    const deleteAll = async (users: readonly Scenario[]) => {
      await Promise.all(users.map((user) => user.delete()));
      await Promise.all(users.map((user) => user.untilGone(120_000)));
      await eventually(async () => expect(await config.usages()).toEqual([]), often);
    };
    // Once its usage is gone, the garbage collector knows the kind.
    await deleteAll([await readyUser(config)]);
    const users = await Promise.all(Array.from({ length: 50 }, () => environment.scenario()));
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

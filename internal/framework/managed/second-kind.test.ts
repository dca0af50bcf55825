import { expect, test } from '@jest/globals';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createInformer } from '../kube/cache/informer.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../kube/fakes/memory-client.ts';
import type { ManagedKind } from './kind/managed-kind.ts';
import { createManagedController } from './managed-controller.ts';
import { available, setConditions } from './resource/conditions.ts';
import type { Managed } from './resource/managed.ts';
import { externalNameFrom } from './resource/meta.ts';

/** A database that takes its time: every order stays pending until the service has worked it off. */
interface Database extends Managed {
  spec: Managed['spec'] & { forProvider: { size: number } };
  status?: Managed['status'] & { atProvider?: { size: number } };
}
type Service = Map<string, { size: number; working?: 'creating' | 'resizing' | 'deleting' }>;

const databaseKind = (service: Service): ManagedKind<Database> => ({
  type: { group: 'db.example.org', version: 'v1', kind: 'Database', plural: 'databases', namespaced: true },
  initializers: [],
  creationGracePeriodMs: 0,
  connector: {
    connect: async () => ({
      observe: async (resource, { clock }) => {
        const found = service.get(externalNameFrom(resource) ?? '');
        if (!found) return { state: 'absent' };
        if (found.working) {
          return { state: 'pending', operation: `${found.working} the database`, checkAfterMs: 5000 };
        }
        resource.status = { ...resource.status, atProvider: { size: found.size } };
        setConditions(resource, clock, available());
        return { state: 'present', upToDate: found.size === resource.spec.forProvider.size };
      },
      create: async (resource) => {
        const externalName = `id-${service.size + 1}`;
        service.set(externalName, { size: resource.spec.forProvider.size, working: 'creating' });
        return { externalName };
      },
      update: async (resource) => {
        const { size } = resource.spec.forProvider;
        service.set(externalNameFrom(resource) ?? '', { size, working: 'resizing' });
        return {};
      },
      delete: async (resource) => {
        service.set(externalNameFrom(resource) ?? '', { size: 0, working: 'deleting' });
        return {};
      },
    }),
  },
});

test('the framework knows nothing of HANA: another kind, with a slow external API', async () => {
  const service: Service = new Map();
  const kind = databaseKind(service);
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const common = { client, clock, random: () => 0.5, log: nopLogger, metrics: createFakeMetrics() };
  const cache = createInformer<Database>({ ...common, type: kind.type });
  const controller = createManagedController({ ...common, kind, cache, recorder: createFakeRecorder() });
  const stop = cache.start();
  controller.watch();
  controller.work();
  const key = { namespace: 'shop', name: 'orders' };
  const stored = () => client.peek(kind.type, key);
  /** What users see a minute later. */
  const later = async () => {
    await clock.advance(60_000);
    const conditions = stored()?.status?.conditions ?? [];
    return conditions.map(({ type, reason, message }) => [type, reason, message].filter(Boolean).join(' '));
  };

  await client.create(kind.type, {
    apiVersion: 'db.example.org/v1',
    kind: 'Database',
    metadata: { ...key },
    spec: { forProvider: { size: 1 } },
  });
  expect(await later()).toEqual(['Synced ReconcileSuccess creating the database', 'Ready Creating']);
  service.set('id-1', { size: 1 });
  expect(await later()).toEqual(['Synced ReconcileSuccess', 'Ready Available', 'UpToDate ObserveMatched']);
  await client.mergePatch(kind.type, key, { spec: { forProvider: { size: 2 } } });
  expect(await later()).toEqual([
    'Synced ReconcileSuccess resizing the database',
    'Ready Available',
    'UpToDate UpdateRequested',
  ]);
  service.set('id-1', { size: 2 });
  await later();
  expect(stored()?.status?.atProvider?.size).toBe(2);
  await client.delete(kind.type, key);
  expect(await later()).toEqual([
    'Synced ReconcileSuccess deleting the database',
    'Ready Deleting deleting the database',
    'UpToDate ObserveMatched',
  ]);
  service.delete('id-1');
  await later();
  expect(stored()).toBeUndefined();
  stop();
  await controller.stop();
});

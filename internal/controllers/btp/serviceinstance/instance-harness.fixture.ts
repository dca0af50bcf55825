import { createDeps } from '../../../base/deps.ts';
import { nopLogger } from '../../../base/telemetry/logger.ts';
import { nopMetrics } from '../../../base/telemetry/metrics.ts';
import { createFakeClock, type FakeClock } from '../../../base/time/fake-clock.ts';
import { createInformers } from '../../../kube/cache/informers.ts';
import { createMemoryClient, type MemoryClient } from '../../../kube/fakes/memory-client.ts';
import { secrets } from '../../../kube/object/resource-type.ts';
import { createObjectWatcher } from '../../../kube/watched-objects/object-watcher.ts';
import { createFakeRecorder, type FakeRecorder } from '../../../runtime/fakes/index.ts';
import { reconciledKind } from '../../../runtime/index.ts';
import { createFakeServiceManager, type FakeServiceManager } from './fake-service-manager.fixture.ts';
import { serviceInstanceKind } from './kind.ts';
import { watchedSecretKind } from './parameters/watched-secrets.ts';
import { type ServiceInstance, type ServiceInstanceSpec, serviceInstances } from './resource.ts';
import { sampleInstance } from './serviceinstance.fixture.ts';

/** The controllers of ServiceInstances on an API server and a Service Manager in memory. */
export interface InstanceHarness {
  readonly client: MemoryClient;
  readonly clock: FakeClock;
  readonly sm: FakeServiceManager;
  readonly recorder: FakeRecorder;
  /** An error of the resolution of credentials. */
  credentialsError: Error | undefined;
  create(spec?: Partial<ServiceInstanceSpec>, name?: string): Promise<void>;
  stored(name?: string): ServiceInstance | undefined;
  /** `type=status reason message` of the condition. */
  condition(type: string, name?: string): string | undefined;
  patch(patch: object, name?: string): Promise<void>;
  patchStatus(status: object, name?: string): Promise<void>;
  delete(name?: string): Promise<void>;
  /** Creates or replaces a Secret with parameters. */
  putSecret(name: string, parameters: object): Promise<void>;
  /** Time passes. */
  wait(ms?: number): Promise<void>;
  /** Ends this process and starts another one: everything in memory is lost. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'orders';
const keyFor = (name = NAME) => ({ namespace: 'shop', name });

export async function startInstanceHarness(
  prepare?: (harness: InstanceHarness) => void,
): Promise<InstanceHarness> {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const sm = createFakeServiceManager();
  const recorder = createFakeRecorder();
  let stop: () => Promise<void> = async () => undefined;
  const start = async () => {
    const common = { client, clock, log: nopLogger, metrics: nopMetrics };
    const informers = createInformers(common);
    const objectWatcher = createObjectWatcher(common);
    const options = { ...createDeps(common), client, informers, recorderFor: () => recorder };
    const kind = serviceInstanceKind({
      settings: { clusterID: 'cluster-1', pollIntervalMs: 1000 },
      connect: async () => {
        if (harness.credentialsError) throw harness.credentialsError;
        return sm.client;
      },
      objectWatcher,
      backoff: { baseMs: 1000, maxMs: 60_000 },
      credentials: { releaseNamespace: 'btp', managementNamespace: 'btp', namespaceSecrets: true },
    });
    const runs = [reconciledKind(kind, options).build(), reconciledKind(watchedSecretKind, options).build()];
    const stops = runs.map((run) => run.start());
    for (const { controller } of runs) controller.watch();
    for (const { controller } of runs) controller.work();
    stop = async () => {
      await Promise.all(runs.map(({ controller }) => controller.stop()));
      for (const end of stops) end();
      objectWatcher.close();
    };
    await clock.advance(10);
  };
  const stored = (name?: string) => client.peek(serviceInstances, keyFor(name));
  const harness: InstanceHarness = {
    client,
    clock,
    sm,
    recorder,
    credentialsError: undefined,
    create: async (spec = {}, name = NAME) => {
      const instance = sampleInstance({ externalName: name, ...spec });
      const { uid: _u, generation: _g, ...metadata } = instance.metadata;
      await client.create(serviceInstances, { ...instance, metadata: { ...metadata, name } });
      await clock.advance(10);
    },
    stored,
    condition: (type, name) => {
      const found = stored(name)?.status?.conditions.find((condition) => condition.type === type);
      return found && `${found.status} ${found.reason} ${found.message ?? ''}`.trimEnd();
    },
    patch: async (patch, name) => {
      await client.mergePatch(serviceInstances, keyFor(name), patch);
      await clock.advance(10);
    },
    patchStatus: async (status, name) => {
      await client.mergePatch(serviceInstances, keyFor(name), { status }, { subresource: 'status' });
      await clock.advance(10);
    },
    delete: async (name) => {
      await client.delete(serviceInstances, keyFor(name));
      await clock.advance(10);
    },
    putSecret: async (name, parameters) => {
      const data = { parameters: Buffer.from(JSON.stringify(parameters)).toString('base64') };
      if (client.peek(secrets, keyFor(name))) await client.mergePatch(secrets, keyFor(name), { data });
      else await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: keyFor(name), data });
      await clock.advance(10);
    },
    wait: (ms = 5000) => clock.advance(ms),
    restart: async () => {
      await stop();
      await start();
    },
    stop: () => stop(),
  };
  prepare?.(harness);
  await start();
  return harness;
}

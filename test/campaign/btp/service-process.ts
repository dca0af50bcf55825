import { createDeps } from '../../../internal/framework/base/deps.ts';
import { nopLogger, nopMetrics } from '../../../internal/framework/base/telemetry/telemetry.ts';
import type { FakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { channel } from '../../../internal/framework/controller/index.ts';
import { createInformers } from '../../../internal/framework/kube/cache/informers.ts';
import type { KubeClient } from '../../../internal/framework/kube/index.ts';
import { createObjectWatcher } from '../../../internal/framework/kube/watched-objects/object-watcher.ts';
import { createFakeRecorder, gatedKind } from '../../../internal/framework/managed/fakes/index.ts';
import { compareAll } from '../../../internal/systems/btp/drift/drift-check.ts';
import type { DriftOptions, Tracking } from '../../../internal/systems/btp/drift/tracked-kind.ts';
import { bindingsOfInstances } from '../../../internal/systems/btp/operations/bindings-of-instances.ts';
import { createOwnResources } from '../../../internal/systems/btp/operations/own-resources.ts';
import type { ServiceKindOptions } from '../../../internal/systems/btp/operations/service-reconciler.ts';
import type { ServiceManagerClient } from '../../../internal/systems/btp/service-manager/index.ts';
import { serviceBindingKind } from '../../../internal/systems/btp/servicebinding/kind.ts';
import { createFreeNames } from '../../../internal/systems/btp/servicebinding/secret/free-names.ts';
import { secretContent } from '../../../internal/systems/btp/servicebinding/secret/secret-content.ts';
import { serviceInstanceKind } from '../../../internal/systems/btp/serviceinstance/kind.ts';
import { watchedSecretKind } from '../../../internal/systems/btp/watched-secrets/watched-secret-kind.ts';
import type { Replica } from '../actions/replicas.ts';

export const CLUSTER = 'cluster-1';

export interface ServiceProcessOptions {
  readonly clock: FakeClock;
  readonly client: KubeClient;
  readonly serviceManager: ServiceManagerClient;
  readonly fence: () => void;
  /** Default: as in the program. */
  readonly build?: typeof gatedKind;
}

export interface ServiceProcess extends Replica {
  /** Compares all objects with Service Manager, as the process does from time to time. */
  compare(): Promise<void>;
}

/** The controllers of service objects. */
export function startServiceProcess({
  clock,
  client,
  serviceManager,
  fence,
  build = gatedKind,
}: ServiceProcessOptions): ServiceProcess {
  const common = { client, clock, log: nopLogger, metrics: nopMetrics };
  const deps = createDeps(common);
  const objectWatcher = createObjectWatcher(common);
  const trackings = new Set<Tracking>();
  const connect = async () => serviceManager;
  // All objects have the same credentials.
  async function* connectOthers() {}
  const options: ServiceKindOptions & DriftOptions = {
    trackings,
    ownResources: createOwnResources(CLUSTER),
    settings: { clusterID: CLUSTER, pollIntervalMs: 1000 },
    connect,
    connectOthers,
    confirm: async () => '',
    objectWatcher,
    instanceRequests: channel(),
    bindings: bindingsOfInstances(),
    externalTimeoutMs: 60_000,
    backoff: { baseMs: 1000, maxMs: 60_000 },
    credentials: { releaseNamespace: 'btp', managementNamespace: 'btp', namespaceSecrets: true },
  };
  const controllers = {
    ...deps,
    client,
    informers: createInformers(common),
    recorderFor: () => createFakeRecorder(),
    fence,
    workers: 20,
  };
  // Without a thread, which has a time of its own.
  const secrets = { render: async (source: Parameters<typeof secretContent>[0]) => secretContent(source) };
  const names = createFreeNames({ ...controllers, spacingMs: 0 });
  const runs = [
    build(serviceInstanceKind(options), controllers),
    build(serviceBindingKind({ ...options, secrets, names }), controllers),
    build(watchedSecretKind(options.credentials), controllers),
  ].map((kind) => kind.build());
  const ends = runs.map((run) => run.start());
  for (const { controller } of runs) controller.watch();
  for (const { controller } of runs) controller.work();
  const stopped = new AbortController();
  return {
    compare: () => compareAll({ clock, log: nopLogger, connect, trackings }, stopped.signal),
    stop: async () => {
      stopped.abort();
      await Promise.all(runs.map(({ controller }) => controller.stop()));
      for (const end of ends) end();
      objectWatcher.close();
    },
  };
}

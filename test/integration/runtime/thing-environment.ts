/**
 * The framework on a real API server with a kind that has nothing to do with HANA: things in memory. These tests need a
 * real API server: what it stores, refuses and collects.
 */
import type { AuditEvent } from '../../../hack/control-planes/access/access.ts';
import { nopLogger } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createControllers } from '../../../internal/framework/controller/controllers.ts';
import { createInformer } from '../../../internal/framework/kube/cache/informer.ts';
import { createKubeClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { createEventBroadcaster } from '../../../internal/framework/kube/events/event-broadcaster.ts';
import {
  events,
  namespaces,
  type ResourceType,
} from '../../../internal/framework/kube/object/resource-type.ts';
import type { ExternalClient } from '../../../internal/framework/managed/kind/external-client.ts';
import type { ManagedKind } from '../../../internal/framework/managed/kind/managed-kind.ts';
import { createManagedController } from '../../../internal/framework/managed/managed-controller.ts';
import { available, setConditions } from '../../../internal/framework/managed/resource/conditions.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { createManager, startAndStop } from '../../../internal/framework/process/manager.ts';
import { createPrometheusMetrics } from '../../../internal/framework/process/telemetry/prometheus.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connectionSecrets, placeCopiesOn } from '../harness/foreign-copies.ts';
import { thingCrd } from './thing-crd.ts';

export interface Thing extends Managed {
  spec: Managed['spec'] & { forProvider: { size: number; colour?: string } };
  status?: Managed['status'] & { atProvider?: { size: number } };
}

/** The external resources by name. */
type ExternalThings = Map<string, { size: number }>;

export interface ThingEnvironment {
  readonly type: ResourceType<Thing>;
  readonly objects: Objects;
  readonly namespace: string;
  readonly external: ExternalThings;
  create(name: string, spec?: object): Promise<Thing>;
  find(name: string): Promise<Thing | undefined>;
  /** `type`, `reason` and `count` of the recorded events, in order. */
  eventsOf(name: string): Promise<string[]>;
  /** What was written to the thing, as the API server recorded it: `update`, `update status`. */
  writesTo(name: string): Promise<string[]>;
  /** @throws if a copy of a Secret was changed or deleted */
  stop(): Promise<void>;
}

export async function startThingEnvironment(): Promise<ThingEnvironment> {
  const { management } = await controlPlanes();
  const objects = objectsOf(management);
  const group = `${uniqueName('things')}.example.org`;
  const type: ResourceType<Thing> = {
    group,
    version: 'v1',
    kind: 'Thing',
    plural: 'things',
    namespaced: true,
  };
  const namespace = uniqueName('framework');
  await installCrds(management, [thingCrd(type)]);
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });

  const copies = placeCopiesOn(management, connectionSecrets(namespace));
  const external: ExternalThings = new Map();
  const metrics = createPrometheusMetrics();
  const config = parseUntrustedKubeconfig(management.kubeconfig);
  const common = { clock: systemClock, random: Math.random, log: nopLogger, metrics };
  const client = createKubeClient({ ...common, config, clusterName: 'management cluster' });
  const broadcaster = createEventBroadcaster({ ...common, client });
  const cache = createInformer<Thing>({ ...common, client, type });
  const manager = createManager({ ...common, metricsAddress: '127.0.0.1:0', healthAddress: '127.0.0.1:0' });
  manager.add(startAndStop('client', () => () => client.close()));
  manager.add(startAndStop('events', () => () => broadcaster.close()));
  manager.add(startAndStop('cache', () => cache.start()));
  createControllers({ ...common, manager }).addController(
    createManagedController<Thing>({
      ...common,
      client,
      cache,
      kind: thingKind(type, external),
      recorder: broadcaster.recorderFor('managed/thing'),
      workers: 4,
      // Tests here do not rely on polls.
      pollIntervalMs: 600_000,
    }),
  );
  const stopping = new AbortController();
  const ended = manager.run(stopping.signal);
  ended.catch(() => undefined);

  return {
    type,
    objects,
    namespace,
    external,
    create: (name, spec = {}) =>
      objects.apply<Thing>(type, {
        apiVersion: `${group}/v1`,
        kind: 'Thing',
        metadata: { name, namespace },
        spec: { forProvider: { size: 1 }, ...spec },
      }),
    find: (name) => objects.find(type, { name, namespace }),
    eventsOf: async (name) => {
      const all = await objects.list(events, namespace);
      return all
        .filter((event) => event.involvedObject.name === name)
        .map((event) => `${event.type} ${event.reason} ${event.count}`);
    },
    writesTo: async (name) => {
      const mine = ({ verb, objectRef, userAgent = '' }: AuditEvent) =>
        ['update', 'patch', 'create', 'delete'].includes(verb) &&
        objectRef?.apiGroup === group &&
        objectRef.name === name &&
        userAgent.startsWith('provider-kyma');
      const audited = (await management.auditEvents(group)).filter(mine);
      return audited.map(({ verb, objectRef }) => [verb, objectRef?.subresource].filter(Boolean).join(' '));
    },
    stop: async () => {
      stopping.abort();
      await ended;
      await copies.stop();
      await objects.delete(namespaces, { name: namespace });
    },
  };
}

function thingKind(type: ResourceType<Thing>, external: ExternalThings): ManagedKind<Thing> {
  const client: ExternalClient<Thing> = {
    observe: async (thing, { clock }) => {
      const found = external.get(thing.metadata.name);
      if (found === undefined) return { state: 'absent', externalName: thing.metadata.name };
      thing.status = { ...thing.status, atProvider: { ...found } };
      setConditions(thing, clock, available());
      const upToDate = found.size === thing.spec.forProvider.size;
      return { state: 'present', upToDate, connectionDetails: { size: String(found.size) } };
    },
    create: async (thing) => {
      external.set(thing.metadata.name, { size: thing.spec.forProvider.size });
      return {};
    },
    update: async (thing) => {
      external.set(thing.metadata.name, { size: thing.spec.forProvider.size });
      return {};
    },
    delete: async (thing) => {
      external.delete(thing.metadata.name);
      return {};
    },
  };
  return {
    type,
    deterministicExternalName: true,
    observeAfterCreate: true,
    creationGracePeriodMs: 0,
    connector: { connect: async () => client },
  };
}

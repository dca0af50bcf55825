import { createControllers } from '../controllers.ts';
/** Kinds on an API server in memory that come and go with their CRDs, under a real manager. */

import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { fieldsOf, type LogFields, type Logger, nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createInformer } from '../../kube/cache/informer.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { KubeApiError } from '../../kube/errors/errors.ts';
import { createMemoryClient, type MemoryClient } from '../../kube/fakes/memory-client.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import {
  customResourceDefinitions,
  groupResource,
  type ResourceType,
} from '../../kube/object/resource-type.ts';
import { createObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import { createManager, startAndStop } from '../../process/manager.ts';
import { createController } from '../controller.ts';
import { done, type Reconcile } from '../reconcile-result.ts';
import { ofType } from '../sources/source.ts';
import type { Crd } from './crd-watch.ts';
import { createGatedKinds, type GatedKind } from './gated-kinds.ts';

export const typeOf = (kind: string): ResourceType => ({
  group: 'example.org',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: false,
});

export interface GateWorldOptions {
  /** Default: Alpha and Beta, which need themselves alone. */
  readonly kinds?: readonly (Pick<GatedKind, 'keeps' | 'conditions'> & {
    readonly kind: string;
    readonly needs?: readonly ResourceType[];
  })[];
  readonly reconcile?: Reconcile;
  /** May throw in place of building. */
  readonly onBuild?: (kind: string) => void;
  /** May throw in place of starting. */
  readonly onStart?: (kind: string) => void;
}

export function createGateEnvironment({
  kinds = [{ kind: 'Alpha' }, { kind: 'Beta' }],
  reconcile = async () => done,
  onBuild = () => undefined,
  onStart = () => undefined,
}: GateWorldOptions = {}) {
  const clock = createFakeClock();
  const memory = createMemoryClient({ clock });
  const metrics = createFakeMetrics();
  const lines: string[] = [];
  /** What happened to kinds, in order. */
  const calls: string[] = [];
  const rights = { answer: (_verb: string): boolean => true };
  const client = answering(memory, (verb) => rights.answer(verb));
  memory.onRequest(({ type }) => {
    if (type.group === 'example.org' && !serves(memory, type)) throw unknownKind(type);
  });
  const logWith = (more: LogFields): Logger => ({
    ...nopLogger,
    info: (message, fields) => void lines.push(line(message, { ...more, ...fields })),
    error: (message, fields) => void lines.push(line(message, { ...more, ...fields })),
    child: (fields) => logWith({ ...more, ...fieldsOf(fields) }),
  });
  const log = logWith({});
  const common = { client, clock, random: () => 0.5, log, metrics };
  const process = createManager({
    ...common,
    metrics: { contentType: 'text/plain', text: async () => '' },
    metricsAddress: '0',
    healthAddress: '127.0.0.1:0',
  });
  const objectWatcher = createObjectWatcher(common);
  const gated = kinds.map(({ kind, needs = [typeOf(kind)], ...more }): GatedKind => {
    const type = typeOf(kind);
    return {
      ...more,
      name: kind,
      needs,
      build: () => {
        onBuild(kind);
        calls.push(`build ${kind}`);
        const cache = createInformer<KubeObject>({ ...common, type });
        return {
          controller: createController({ ...common, name: kind, sources: [ofType(cache)], reconcile }),
          start: () => {
            onStart(kind);
            calls.push(`start ${kind}`);
            const stop = cache.start();
            return () => {
              calls.push(`stop ${kind}`);
              stop();
            };
          },
          forget: () => {
            calls.push(`forget ${kind}`);
            cache.forget();
          },
        };
      },
    };
  });
  const manager = { ...process, ...createControllers({ ...common, manager: process }) };
  const all = createGatedKinds({ ...common, objectWatcher, kinds: gated, manager });
  manager.add(startAndStop('kinds', () => all.start()));
  const stopping = new AbortController();
  let ended: Promise<void> | undefined;
  const settle = async () => {
    for (let i = 0; i < 5; i++) await clock.advance(0);
  };
  return {
    clock,
    client: memory,
    metrics,
    rights,
    /** Log lines since the last call. */
    logged: () => lines.splice(0),
    /** What happened since the last call. */
    notified: () => calls.splice(0),
    /** Objects that the object watcher watches. */
    observed: () => objectWatcher.size(),
    settle,
    start: async () => {
      ended = manager.run(stopping.signal);
      ended.catch(() => undefined);
      while (manager.addresses().health === undefined) await settle();
      await settle();
    },
    stop: async () => {
      stopping.abort();
      await ended;
      objectWatcher.close();
    },
    /** Lines of /readyz by check. */
    ready: async (): Promise<Record<string, string>> => {
      const response = await fetch(`http://${manager.addresses().health}/readyz`);
      const checks = (await response.text()).trim().split('\n').slice(0, -1);
      return {
        status: String(response.status),
        ...Object.fromEntries(checks.map((check) => [check.slice(3).split(' ')[0], check])),
      };
    },
    install: async (kind: string, { established = true, finalizers = [] as string[] } = {}) => {
      memory.seed<Crd>(customResourceDefinitions, crdOf(typeOf(kind), established, finalizers));
      await settle();
    },
    establish: async (kind: string) => {
      const { status } = crdOf(typeOf(kind), true, []);
      await memory.mergePatch(
        customResourceDefinitions,
        { name: groupResource(typeOf(kind)) },
        { status },
        {
          subresource: 'status',
        },
      );
      await settle();
    },
    remove: async (kind: string) => {
      await memory.delete(customResourceDefinitions, { name: groupResource(typeOf(kind)) });
      await settle();
    },
    /** Ends the deletion of a CRD that a finalizer blocked. */
    release: async (kind: string) => {
      const key = { name: groupResource(typeOf(kind)) };
      await memory.mergePatch(customResourceDefinitions, key, { metadata: { finalizers: [] } });
      await settle();
    },
  };
}

const line = (message: string, { controller, missing, error }: LogFields = {}) =>
  [message, controller, missing, error].filter((part) => part !== undefined).join(' | ');

function crdOf(
  { group, version, kind, plural }: ResourceType,
  established: boolean,
  finalizers: string[],
): Crd {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, finalizers },
    spec: { group, names: { kind }, versions: [{ name: version, served: true, schema: {} }] },
    status: { conditions: [{ type: 'Established', status: established ? 'True' : 'False' }] },
  };
}

function serves(client: MemoryClient, type: ResourceType): boolean {
  const crd = client.peek(customResourceDefinitions, { name: groupResource(type) });
  return crd?.status?.conditions?.some(({ status }) => status === 'True') ?? false;
}

function unknownKind(type: ResourceType): KubeApiError {
  const attempt = { verb: 'list', object: groupResource(type), clusterName: 'memory cluster' };
  return new KubeApiError(attempt, { httpStatus: 404, status: undefined });
}

/** The API server in memory knows nothing of reviews. */
function answering(memory: MemoryClient, allowed: (verb: string) => boolean): KubeClient {
  return {
    ...memory,
    create: async (type, object, options) => {
      if (type.kind !== 'SelfSubjectAccessReview') return memory.create(type, object, options);
      const { spec } = object as typeof object & { spec: { resourceAttributes: { verb: string } } };
      return { ...object, status: { allowed: allowed(spec.resourceAttributes.verb) } };
    },
  };
}

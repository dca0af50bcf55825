import { createTokenBucket } from '../../../internal/framework/base/concurrency/token-bucket.ts';
import type { Deps } from '../../../internal/framework/base/deps.ts';
import { createInformer } from '../../../internal/framework/kube/cache/informer.ts';
import { createKubeClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { createEventBroadcaster } from '../../../internal/framework/kube/events/event-broadcaster.ts';
import { controllerName } from '../../../internal/framework/managed/kind/managed-kind.ts';
import { jitterFraction } from '../../../internal/framework/managed/kind/poll.ts';
import { createManagedController } from '../../../internal/framework/managed/managed-controller.ts';
import { startStateMetrics } from '../../../internal/framework/managed/metrics/state-metrics.ts';
import { createLogger } from '../../../internal/framework/process/telemetry/json-logger.ts';
import { createPrometheusMetrics } from '../../../internal/framework/process/telemetry/prometheus.ts';
import { createCollectionTransport } from './collection-transport.ts';
import { type Sample, sampleKind, samples } from './sample-kind.ts';

/** The framework as `provider-kyma start` assembles it, between an API server and an external API that cost nothing. */
export interface FrameworkLoad {
  /** Observations so far: one for each reconcile. */
  reconciles(): number;
  /** Objects in the cache. */
  objects(): readonly Sample[];
  /**
   * Prepares changes of every object's status by another client; predicates filter these events. The returned function
   * delivers them, and resolves when the cache has seen all of them.
   */
  prepareTouch(): () => Promise<void>;
  /** Requests other than the cache's own. A settled resource causes none. */
  otherRequests(): readonly string[];
  stop(): Promise<void>;
}

/** The default of `--max-reconcile-rate`. */
const WORKERS = 100;

/** The poll rate is not limited: the maximum is measured. */
const UNLIMITED = 1_000_000;

/** Resolves when the cache has synced and workers run. */
export async function startFramework(
  objects: number,
  pollIntervalMs: number,
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
): Promise<FrameworkLoad> {
  const transport = createCollectionTransport(objects);
  const metrics = createPrometheusMetrics({ processMetrics: true });
  const log = createLogger({ debug: false, destination: { write: () => undefined } });
  const config = { server: `https://${transport.host}`, credentials: async () => ({ headers: {} }) };
  const client = createKubeClient({ config, transport, clock, random, metrics });
  const common = { client, clock, log, metrics, random };
  const broadcaster = createEventBroadcaster(common);
  const cache = createInformer<Sample>({ ...common, type: samples });
  let reconciles = 0;
  const kind = sampleKind(() => {
    reconciles++;
  });
  const controller = createManagedController<Sample>({
    ...common,
    kind,
    cache,
    recorder: broadcaster.recorderFor(controllerName(samples)),
    workers: WORKERS,
    pollRate: createTokenBucket({ clock, ratePerSecond: UNLIMITED, burst: UNLIMITED }),
    pollIntervalMs,
    pollIntervalHook: jitterFraction(0.1, random),
  });
  const stopCache = cache.start();
  const stopStateMetrics = startStateMetrics({ ...common, type: samples, cache, intervalMs: 5000 });
  controller.watch();
  await controller.whenSynced(AbortSignal.timeout(60_000));
  controller.work();
  return {
    reconciles: () => reconciles,
    objects: () => cache.list(),
    prepareTouch: () => {
      const { lastVersion, deliver } = transport.prepareTouch();
      const seen = Promise.withResolvers<void>();
      const unsubscribe = cache.subscribe(({ object }) => {
        if (object.metadata.resourceVersion === lastVersion) seen.resolve();
      });
      return async () => {
        deliver();
        await seen.promise;
        unsubscribe();
      };
    },
    otherRequests: transport.others,
    stop: async () => {
      stopStateMetrics();
      await controller.stop();
      stopCache();
      await broadcaster.close(AbortSignal.timeout(1000));
    },
  };
}

/**
 * A loop around the plain mapper: it creates the mappings that a watch reports, retries where a source was missing, and
 * observes settled ones at an interval. It is the least program that does the provider's work; it handles no failure,
 * deletion, change or restart.
 */
import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { createPlainMapper, type Endpoints, mappingsPath } from './plain-mapper.ts';

interface Name {
  readonly name: string;
  readonly namespace?: string;
}

export interface KeepOptions {
  readonly endpoints: Endpoints;
  /** Label selector of the mappings. */
  readonly selector: string;
  /** How often each settled mapping is observed; absent: never. */
  readonly pollMs?: number;
  /** Mappings worked on at the same time. */
  readonly workers: number;
  /** Collections of the kyma cluster to watch; a change of any object triggers the waiting mappings. */
  readonly sources?: readonly string[];
}

export interface PlainKeeper {
  /** Steady observations so far. */
  observations(): number;
  /** Mappings that lack a source. */
  waiting(): number;
  /** Why something went wrong, if anything did: figures are worth nothing then. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

export function startKeeper(options: KeepOptions): PlainKeeper {
  const { selector, pollMs, workers, sources = [] } = options;
  const mapper = createPlainMapper(options.endpoints);
  const stopping = new AbortController();
  const known = new Map<string, KymaInstanceMapping>();
  const waiting = new Map<string, KymaInstanceMapping>();
  const timers = new Set<NodeJS.Timeout>();
  const problems: string[] = [];
  const backlog: (() => Promise<void>)[] = [];
  let busy = 0;
  let observations = 0;

  const work = (task: () => Promise<void>) => {
    backlog.push(task);
    next();
  };
  const next = () => {
    const task = busy < workers ? backlog.shift() : undefined;
    if (task === undefined) return;
    busy++;
    void guard(task()).finally(() => {
      busy--;
      next();
    });
  };
  const guard = (promise: Promise<void>) =>
    promise.catch((error: unknown) => {
      if (!stopping.signal.aborted) problems.push(String(error));
    });
  const poll = (mapping: KymaInstanceMapping) => {
    if (pollMs === undefined) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        work(async () => {
          if (!(await mapper.observe(mapping))) throw new Error(`${mapping.metadata.name} is not there`);
          observations++;
          poll(mapping);
        });
      },
      pollMs * (0.9 + 0.2 * Math.random()),
    );
    timers.add(timer);
  };
  const create = async (mapping: KymaInstanceMapping) => {
    if (await mapper.create(mapping)) poll(mapping);
    else waiting.set(mapping.metadata.name, mapping);
  };
  const isReady = ({ status }: KymaInstanceMapping) =>
    status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');

  const onMapping = (mapping: KymaInstanceMapping) => {
    const { name } = mapping.metadata;
    if (known.has(name)) return;
    known.set(name, mapping);
    if (isReady(mapping)) poll(mapping);
    else work(() => create(mapping));
  };
  /** All four sources of a waiting mapping have the same name. */
  const onSource = ({ name, namespace }: Name) => {
    for (const [key, mapping] of waiting) {
      const { serviceInstanceRef: ref } = mapping.spec.forProvider;
      if (ref.name !== name || ref.namespace !== namespace) continue;
      waiting.delete(key);
      work(() => create(mapping));
    }
  };
  const selection = new URLSearchParams({ watch: 'true', labelSelector: selector });
  const { signal } = stopping;
  void guard(
    mapper.management.watch<KymaInstanceMapping>(
      `${mappingsPath}?${selection}`,
      ({ type, object }) => {
        if (type === 'ADDED') onMapping(object);
      },
      signal,
    ),
  );
  for (const path of sources) {
    void guard(
      mapper.kyma.watch<{ metadata: Name }>(
        `${path}?watch=true`,
        ({ object }) => onSource(object.metadata),
        signal,
      ),
    );
  }
  return {
    observations: () => observations,
    waiting: () => waiting.size,
    problems: () => problems,
    stop: async () => {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      await mapper.close();
    },
  };
}

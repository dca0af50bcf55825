/**
 * A loop around the plain mapper: it creates the mappings that a watch reports, retries where a source was missing, and
 * observes settled ones at an interval. It is the least program that does the provider's work; it handles no deletion,
 * change or restart, and any failure ends it.
 */
import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { createPlainMapper, type Endpoints, mappingsPath } from './plain-mapper.ts';
import { startWorkers } from './plain-workers.ts';

interface Name {
  readonly name: string;
  readonly namespace?: string;
}

export interface KeepOptions {
  readonly endpoints: Endpoints;
  /** Label selector of the mappings. */
  readonly selector: string;
  /** How often each settled mapping is observed; absent: never. */
  readonly pollMs?: number | undefined;
  /** Mappings worked on at the same time. */
  readonly workers: number;
  /** Collections of the kyma cluster to watch; a change of any object triggers the waiting mappings. */
  readonly sources: readonly string[];
}

export interface PlainKeeper {
  /** Steady observations so far. */
  observations(): number;
  /** Mappings that lack a source. */
  waiting(): number;
}

export function startKeeper({ endpoints, selector, pollMs, workers, sources }: KeepOptions): PlainKeeper {
  const mapper = createPlainMapper(endpoints);
  const known = new Set<string>();
  const waiting = new Map<string, KymaInstanceMapping>();
  let observations = 0;
  const work = startWorkers(workers);

  const poll = (mapping: KymaInstanceMapping) => {
    if (pollMs === undefined) return;
    const observe = async () => {
      if (!(await mapper.observe(mapping))) throw new Error(`${mapping.metadata.name} is not there`);
      observations++;
      poll(mapping);
    };
    setTimeout(() => work(observe), pollMs * (0.9 + 0.2 * Math.random()));
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
    known.add(name);
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
  void mapper.management.watch<KymaInstanceMapping>(`${mappingsPath}?${selection}`, ({ type, object }) => {
    if (type === 'ADDED') onMapping(object);
  });
  for (const path of sources) {
    void mapper.kyma.watch<{ metadata: Name }>(`${path}?watch=true`, ({ object }) =>
      onSource(object.metadata),
    );
  }
  return { observations: () => observations, waiting: () => waiting.size };
}

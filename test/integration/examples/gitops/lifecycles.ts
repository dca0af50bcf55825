/** Managed resources of each kind, for the phases that GitOps tools see. */
import type { Managed } from '../../../../internal/framework/managed/resource/managed.ts';
import type { RecordedKind } from '../../../gitops/recorded-objects.ts';
import type { HanaInstance } from '../../harness/mappings/hana-instance.ts';
import type { ManagedObject } from '../../harness/mappings/managed-object.ts';
import type { TestEnvironment } from '../../harness/test-environment.ts';

/** One resource of any kind with its sources. */
export interface Lifecycle {
  readonly resource: ManagedObject<Managed>;
  readonly hana: HanaInstance;
  /** What this run calls things, and what records call them. */
  readonly names: Readonly<Record<string, string>>;
  create(spec?: object): Promise<unknown>;
  giveSources(): Promise<void>;
  /** Takes one of them away. */
  takeSource(): Promise<void>;
  /** Another resource for the same mapping. */
  createRival(): Promise<ManagedObject<Managed>>;
}

export async function createLifecycle(environment: TestEnvironment, kind: RecordedKind): Promise<Lifecycle> {
  const [plural, scope] = kind.split('-') as [string, 'cluster' | 'namespaced'];
  return plural === 'kymainstancemapping'
    ? kymaInstanceMapping(environment, scope)
    : instanceMapping(environment, scope);
}

async function kymaInstanceMapping(
  environment: TestEnvironment,
  scope: 'cluster' | 'namespaced',
): Promise<Lifecycle> {
  const scenario = await environment.scenario({ scope });
  return {
    resource: scenario,
    hana: scenario.hana,
    names: { [scenario.name]: 'orders' },
    create: (spec = {}) => scenario.create({ spec }),
    giveSources: () => scenario.applySources(),
    takeSource: () => scenario.remove('secret'),
    createRival: () => scenario.createRival(),
  };
}

async function instanceMapping(
  environment: TestEnvironment,
  scope: 'cluster' | 'namespaced',
): Promise<Lifecycle> {
  // For the namespace alone; its own mapping is not made.
  const { namespace } = await environment.scenario({ scope });
  const home = scope === 'namespaced' ? { home: namespace } : {};
  const raw = environment.instanceMapping(home);
  return {
    resource: raw,
    hana: raw.hana,
    names: { [raw.name]: 'orders', [namespace]: 'team' },
    create: (spec = {}) => raw.create({ spec }),
    giveSources: () => raw.applySecret(),
    takeSource: () => raw.removeSecret(),
    createRival: async () => {
      const { instanceID, hana } = raw;
      const rival = environment.instanceMapping({ ...home, instanceID, primaryID: hana.mapping().primaryID });
      await rival.applySecret();
      await rival.create();
      return rival;
    },
  };
}

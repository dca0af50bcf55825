/** Managed resources of each kind, led through every phase that GitOps tools meet. */
import type { Managed } from '../../../../internal/runtime/resource/managed.ts';
import type { RecordedKind } from '../../../gitops/recorded-objects.ts';
import type { HanaSide } from '../../harness/mappings/hana-instance.ts';
import type { ManagedObject } from '../../harness/mappings/managed-object.ts';
import type { World } from '../../harness/test-environment.ts';

/** One resource with what it needs, whatever its kind. */
export interface Life {
  readonly resource: ManagedObject<Managed>;
  readonly hana: HanaSide;
  /** What this run calls things, and what records call them. */
  readonly names: Readonly<Record<string, string>>;
  create(spec?: object): Promise<unknown>;
  giveSources(): Promise<void>;
  /** Takes one of them away. */
  takeSource(): Promise<void>;
  /** Another resource that asks for the same mapping. */
  createRival(): Promise<ManagedObject<Managed>>;
}

export async function newLife(world: World, kind: RecordedKind): Promise<Life> {
  const [plural, scope] = kind.split('-') as [string, 'cluster' | 'namespaced'];
  return plural === 'kymainstancemapping' ? kymaInstanceMapping(world, scope) : instanceMapping(world, scope);
}

async function kymaInstanceMapping(world: World, scope: 'cluster' | 'namespaced'): Promise<Life> {
  const scenario = await world.scenario({ scope });
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

async function instanceMapping(world: World, scope: 'cluster' | 'namespaced'): Promise<Life> {
  // For the namespace alone; its own mapping is not made.
  const { namespace } = await world.scenario({ scope });
  const home = scope === 'namespaced' ? { home: namespace } : {};
  const raw = world.instanceMapping(home);
  return {
    resource: raw,
    hana: raw.hana,
    names: { [raw.name]: 'orders', [namespace]: 'team' },
    create: (spec = {}) => raw.create({ spec }),
    giveSources: () => raw.applySecret(),
    takeSource: () => raw.removeSecret(),
    createRival: async () => {
      const { instanceID, hana } = raw;
      const rival = world.instanceMapping({ ...home, instanceID, primaryID: hana.mapping().primaryID });
      await rival.applySecret();
      await rival.create();
      return rival;
    },
  };
}

import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { KymaInstanceMapping } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import type { Mapping } from '../../simulators/hana-cloud/store.ts';
import type { Fleet } from '../harness/mappings/fleet.ts';
import type { HanaInstance } from '../harness/mappings/hana-instance.ts';
import type { FaultEnvironment } from './fault-environment.ts';

/** One of many mappings, of one of several instances. */
export interface FleetGroupMember {
  readonly name: string;
  readonly hana: HanaInstance;
  /** What HANA Cloud should have for it; changed by `want`. */
  mapping: Mapping;
}

/** The mappings of several fleets, changed over few connections: there are too many for one each. */
export interface FleetGroup extends AsyncDisposable {
  readonly members: readonly FleetGroupMember[];
  add(fleet: Fleet): void;
  patch(member: FleetGroupMember, patch: unknown): Promise<void>;
  /** Deletes it; nothing should be left of it. */
  delete(member: FleetGroupMember): Promise<void>;
  list(): Promise<KymaInstanceMapping[]>;
  /** Waits until each is Ready and Synced, and returns them. */
  untilReady(timeoutMs: number): Promise<KymaInstanceMapping[]>;
}

export function createFleetGroup({ planes, selector }: FaultEnvironment): FleetGroup {
  const config = parseUntrustedKubeconfig(planes.management.kubeconfig);
  const client = createKubeClient({ config, clock: systemClock });
  const members = new Map<string, FleetGroupMember>();
  const list = async () => {
    const { items } = await client.list(kymaInstanceMappings, {
      labelSelector: selector,
      limit: 5000,
    });
    return items;
  };
  return {
    get members() {
      return [...members.values()];
    },
    add: (fleet) => {
      for (const { name, mapping } of fleet.members()) {
        members.set(name, { name, mapping, hana: fleet.shared.hana });
      }
    },
    patch: async ({ name }, patch) => {
      await client.mergePatch(kymaInstanceMappings, { name }, patch);
    },
    delete: async ({ name }) => {
      members.delete(name);
      await client.delete(kymaInstanceMappings, { name });
    },
    list,
    untilReady: (timeoutMs) =>
      eventually(
        async () => {
          const all = await list();
          const late = all.filter((each) => !members.has(each.metadata.name) || !isReady(each));
          if (late.length > 0)
            throw new Error(`${late.length} are late: ${late.slice(0, 3).map(describeMapping)}`);
          return all;
        },
        { timeoutMs, intervalMs: 1000 },
      ),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function isReady({ metadata, status }: KymaInstanceMapping): boolean {
  return ['Ready', 'Synced'].every((wanted) =>
    status?.conditions?.some(
      ({ type, status, observedGeneration }) =>
        type === wanted && status === 'True' && observedGeneration === metadata.generation,
    ),
  );
}

/** For the message of a failed test: the mapping and its conditions. */
function describeMapping({
  metadata: { name, labels, annotations, deletionTimestamp },
  status,
}: KymaInstanceMapping): string {
  return JSON.stringify({ name, labels, annotations, deletionTimestamp, status });
}

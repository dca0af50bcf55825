/**
 * The environment of a file or a test, without a provider: the two shared control planes, a HANA Cloud simulator, and a
 * provider's account. `scenario` gives each test four sources and a mapping of its own.
 */

import { expect } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import {
  type HanaCloudSimulator,
  type SimulatorOptions,
  startHanaCloudSimulator,
} from '../../simulators/hana-cloud/simulator.ts';
import { type ControlPlanes, controlPlanes, uniqueName } from './control-planes/control-planes.ts';
import { forEach } from './for-each.ts';
import { managedObject } from './mappings/managed-object.ts';
import { environmentLabel, type MappingContext } from './mappings/mapping-context.ts';
import { createRawMapping, type RawMapping, type RawMappingOptions } from './mappings/raw-mapping.ts';
import { createScenario, type Scenario, type ScenarioOptions } from './mappings/scenario.ts';
import { installedProviderAccount, type ProviderAccount } from './provider/provider-account.ts';

export interface BareEnvironment {
  readonly planes: ControlPlanes;
  readonly management: Objects;
  readonly kyma: Objects;
  readonly simulator: HanaCloudSimulator;
  /** The provider's account: it has the permissions of an installation, and no others. */
  readonly account: ProviderAccount;
  /** Selects the resources of this environment. */
  readonly selector: string;
  scenario(options?: ScenarioOptions): Promise<Scenario>;
  instanceMapping(options?: RawMappingOptions): RawMapping;
  /**
   * Tears the environment down, and checks that the provider was never refused a request for lack of a permission, and
   * sent no request that needs a permission which `doctor` does not know. The provider must have stopped. Input objects
   * and namespaces stay: their deletion takes the control plane as much CPU time as their creation.
   */
  stop(): Promise<void>;
}

export interface BareEnvironmentOptions {
  /** A cluster of the file's own in place of the shared one, as it is: the kinds of the BTP operator are not there. */
  readonly kyma?: ControlPlaneAccess;
  /** The same for the management cluster: it has none of our kinds either. */
  readonly management?: ControlPlaneAccess;
  readonly simulator?: SimulatorOptions;
}

export async function startBareEnvironment(options: BareEnvironmentOptions = {}): Promise<BareEnvironment> {
  const id = uniqueName('environment');
  const selector = `${environmentLabel}=${id}`;
  const shared = await controlPlanes();
  const planes = {
    kyma: options.kyma ?? shared.kyma,
    management: options.management ?? shared.management,
  };
  const management = objectsOf(planes.management);
  const kyma = objectsOf(planes.kyma);
  const [simulator, account] = await Promise.all([
    startHanaCloudSimulator({ foreignCopies: true, ...options.simulator }),
    installedProviderAccount(planes.management),
  ]);
  const made = new Set<ResourceType<Managed>>();
  const context: MappingContext = {
    id,
    planes,
    management,
    kyma,
    simulator,
    made: (type) => made.add(type),
  };
  return {
    planes,
    management,
    kyma,
    simulator,
    account,
    selector,
    scenario: (scenario = {}) => createScenario(context, scenario),
    instanceMapping: (raw) => createRawMapping(context, raw),
    stop: async () => {
      try {
        // Resources that a failed test left must not hang without a provider.
        for (const type of made) {
          const left = await management.list(type, undefined, { labelSelector: selector });
          await forEach(left, ({ metadata: { name, namespace } }) =>
            managedObject(management, type, name, namespace).forget(),
          );
        }
        const rights = { refused: await account.refusals(), unlisted: await account.unlisted() };
        expect(rights).toEqual({ refused: [], unlisted: [] });
      } finally {
        // A server that still listens would keep Jest's worker running.
        await simulator.stop();
      }
    },
  };
}

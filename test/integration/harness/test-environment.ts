/**
 * The test environment of a file: the two shared control planes, a HANA Cloud simulator of its own, and a provider that
 * reconciles only this file's resources. `scenario` gives each test four sources and a mapping of its own.
 */

import { expect } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { StartFlags } from '../../../internal/cli/flags.ts';
import { namespaces } from '../../../internal/kube/object/resource-type.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import {
  type HanaCloudSimulator,
  type SimulatorOptions,
  startHanaCloudSimulator,
} from '../../simulators/hana-cloud/simulator.ts';
import { type ControlPlanes, controlPlanes, uniqueName } from './control-planes/control-planes.ts';
import { forEach } from './for-each.ts';
import { environmentLabel, type MappingContext } from './mappings/mapping-context.ts';
import { createRawMapping, type RawMapping, type RawMappingOptions } from './mappings/raw-mapping.ts';
import { createScenario, type Scenario, type ScenarioOptions } from './mappings/scenario.ts';
import { installedProviderAccount, type ProviderAccount } from './provider/provider-account.ts';
import { type ProviderRun, runProvider } from './provider/provider-run.ts';

export interface TestEnvironment {
  readonly planes: ControlPlanes;
  readonly management: Objects;
  readonly kyma: Objects;
  readonly simulator: HanaCloudSimulator;
  readonly provider: ProviderRun;
  /** The provider's account: it has the permissions of an installation, and no others. */
  readonly account: ProviderAccount;
  /** Selects this file's resources. */
  readonly selector: string;
  scenario(options?: ScenarioOptions): Promise<Scenario>;
  instanceMapping(options?: RawMappingOptions): RawMapping;
  /** Stops the provider and starts another one, as a restart of the pod does. */
  restartProvider(flags?: Partial<StartFlags>): Promise<void>;
  /**
   * Tears the environment down, and checks that the provider was never refused a request for lack of a permission, and
   * sent no request that needs a permission which `doctor` does not know.
   */
  stop(): Promise<void>;
}

export interface TestEnvironmentOptions {
  readonly flags?: Partial<StartFlags>;
  /** A cluster of the file's own in place of the shared one, as it is: the kinds of the BTP operator are not there. */
  readonly kyma?: ControlPlaneAccess;
  /** The same for the management cluster: it has none of our kinds either. */
  readonly management?: ControlPlaneAccess;
  readonly simulator?: SimulatorOptions;
}

export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const id = uniqueName('environment');
  const selector = `${environmentLabel}=${id}`;
  const shared = await controlPlanes();
  const planes = {
    kyma: options.kyma ?? shared.kyma,
    management: options.management ?? shared.management,
  };
  const management = objectsOf(planes.management);
  const kyma = objectsOf(planes.kyma);
  const [simulator] = await Promise.all([
    startHanaCloudSimulator(options.simulator),
    options.management ?? packageCrds().then((crds) => installCrds(shared.management, crds)),
    options.management ?? installBtpKinds(shared.management),
    options.kyma ?? installBtpKinds(shared.kyma),
  ]);
  const account = await installedProviderAccount(planes.management);
  const start = (flags: Partial<StartFlags>) =>
    runProvider({
      kubeconfig: account.kubeconfig,
      trustedCertificates: [simulator.caCertificate],
      // Nothing that a test waits for may come from polling.
      flags: { poll: 600_000, watchLabelSelector: selector, ...options.flags, ...flags },
    });
  let provider = await start({});
  const made: Parameters<MappingContext['made']>[0][] = [];
  const scenarios: Scenario[] = [];
  const context: MappingContext = {
    id,
    planes,
    management,
    kyma,
    simulator,
    made: (resource) => made.push(resource),
  };
  return {
    planes,
    management,
    kyma,
    simulator,
    selector,
    account,
    get provider() {
      return provider;
    },
    scenario: async (scenario = {}) => {
      const created = await createScenario(context, scenario);
      scenarios.push(created);
      return created;
    },
    instanceMapping: (raw) => createRawMapping(context, raw),
    restartProvider: async (flags = {}) => {
      await provider.stop();
      provider = await start(flags);
    },
    stop: async () => {
      await provider.stop();
      const rights = { refused: await account.refusals(), unlisted: await account.unlisted() };
      // Resources that a failed test left must not hang without a provider.
      await forEach(made, (resource) => resource.forget());
      await Promise.all(
        scenarios.flatMap(({ sourcePlane, namespace, home }) => {
          const planes = new Set([sourcePlane, ...(home === undefined ? [] : [management])]);
          return [...planes].map(async (plane) => {
            // A test may have deleted it itself.
            if (await plane.find(namespaces, { name: namespace }))
              await plane.delete(namespaces, { name: namespace });
          });
        }),
      );
      await simulator.stop();
      expect(rights).toEqual({ refused: [], unlisted: [] });
    },
  };
}

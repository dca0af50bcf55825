/**
 * An environment for faults: one or more providers, each a process of its own that a test may kill, freeze and
 * disconnect, with many mappings to reconcile.
 */
import { createFleet, type Fleet } from '../harness/mappings/fleet.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';
import {
  startTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../harness/test-environment.ts';

export interface FaultEnvironment
  extends Pick<
    TestEnvironment,
    'planes' | 'management' | 'simulator' | 'selector' | 'account' | 'scenario' | 'instanceMapping'
  > {
  /** Starts a provider for this environment's resources. */
  run(options?: RunOptions): Promise<ProviderProcess>;
  fleet(...options: FleetOptions): Promise<Fleet>;
  /** Kills all providers, whichever Lease they have: they would work on what the next test makes. */
  killProviders(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of the management cluster; default that of the environment's account. */
  readonly kubeconfig?: string;
}

type FleetOptions =
  Parameters<typeof createFleet> extends [TestEnvironment, ...infer Options] ? Options : never;

export async function startFaultEnvironment(options: TestEnvironmentOptions = {}): Promise<FaultEnvironment> {
  const environment = await startTestEnvironment(options);
  await environment.provider.stop();
  const { planes, management, simulator, selector, account } = environment;
  const processes = await providerProcesses(simulator.caCertificate);
  return {
    planes,
    management,
    simulator,
    selector,
    account,
    scenario: environment.scenario,
    instanceMapping: environment.instanceMapping,
    run: ({ args = [], env = {}, kubeconfig = account.kubeconfig } = {}) =>
      processes.start({
        kubeconfig,
        env,
        // Tests here do not rely on polls, unless they set the interval.
        args: [`--watch-label-selector=${selector}`, '--poll=10m', ...args],
      }),
    fleet: (...fleet) => createFleet(environment, ...fleet),
    killProviders: processes.killAll,
    stop: async () => {
      await processes.stop();
      await environment.stop();
    },
  };
}

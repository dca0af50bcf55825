/**
 * An environment for faults: one or more providers, each a process of its own that a test may kill, freeze and
 * disconnect, with many mappings to reconcile.
 */
import {
  type BareEnvironment,
  type BareEnvironmentOptions,
  startBareEnvironment,
} from '../harness/bare-environment.ts';
import { createFleet, type Fleet } from '../harness/mappings/fleet.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';

export interface FaultEnvironment extends BareEnvironment {
  /** Starts a provider for this environment's resources. */
  run(options?: RunOptions): Promise<ProviderProcess>;
  fleet(...options: FleetOptions): Promise<Fleet>;
  /** Kills all providers, whichever Lease they have: they would work on what the next test makes. */
  killProviders(): Promise<void>;
  /** Called by `stop`, when the providers have ended. */
  onStop(close: () => unknown): void;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of the management cluster; default that of the environment's account. */
  readonly kubeconfig?: string;
}

type FleetOptions =
  Parameters<typeof createFleet> extends [BareEnvironment, ...infer Options] ? Options : never;

export async function startFaultEnvironment(options: BareEnvironmentOptions = {}): Promise<FaultEnvironment> {
  const environment = await startBareEnvironment(options);
  const { simulator, selector, account } = environment;
  const processes = await providerProcesses(simulator.caCertificate);
  const ends: (() => unknown)[] = [];
  return {
    ...environment,
    run: ({ args = [], env = {}, kubeconfig = account.kubeconfig } = {}) =>
      processes.start({
        kubeconfig,
        env,
        // Tests here do not rely on polls, unless they set the interval.
        args: [`--watch-label-selector=${selector}`, '--poll=10m', ...args],
      }),
    fleet: (...fleet) => createFleet(environment, ...fleet),
    killProviders: processes.killAll,
    onStop: (close) => {
      ends.push(close);
    },
    stop: async () => {
      try {
        await processes.stop();
        for (const end of ends) await end();
      } finally {
        await environment.stop();
      }
    },
  };
}

/**
 * A test function that runs `body` with an environment of its own, for `test.concurrent`: tests that mostly wait do so at
 * the same time.
 */
export function inFaultEnvironment(
  body: (environment: FaultEnvironment) => Promise<void>,
  options: BareEnvironmentOptions = {},
): () => Promise<void> {
  return async () => {
    const environment = await startFaultEnvironment(options);
    try {
      await body(environment);
    } catch (error) {
      // The cause of the failure, not what it left behind, is reported.
      await environment.stop().catch(() => undefined);
      throw error;
    }
    await environment.stop();
  };
}

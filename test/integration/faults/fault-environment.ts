/**
 * A world where things break: the provider is a process of its own, or several, that a test may kill, freeze and cut
 * off, and it has many mappings to look after.
 */
import { createFleet, type Fleet } from '../harness/mappings/fleet.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';
import { startWorld, type World, type WorldOptions } from '../harness/test-environment.ts';

export interface FaultyWorld
  extends Pick<
    World,
    'planes' | 'management' | 'simulator' | 'selector' | 'account' | 'scenario' | 'instanceMapping'
  > {
  /** Starts a provider for this world's resources. */
  run(options?: RunOptions): Promise<ProviderProcess>;
  fleet(...options: FleetOptions): Promise<Fleet>;
  /** Kills all providers, whichever Lease they have: they would work on what the next test makes. */
  killProviders(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of the management cluster; default that of the world's account. */
  readonly kubeconfig?: string;
}

type FleetOptions = Parameters<typeof createFleet> extends [World, ...infer Options] ? Options : never;

export async function startFaultyWorld(options: WorldOptions = {}): Promise<FaultyWorld> {
  const world = await startWorld(options);
  await world.provider.stop();
  const { planes, management, simulator, selector, account } = world;
  const processes = await providerProcesses(simulator.caCertificate);
  return {
    planes,
    management,
    simulator,
    selector,
    account,
    scenario: world.scenario,
    instanceMapping: world.instanceMapping,
    run: ({ args = [], env = {}, kubeconfig = account.kubeconfig } = {}) =>
      processes.start({
        kubeconfig,
        env,
        // Nothing that a test waits for may come from polling, unless it says so itself.
        args: [`--watch-label-selector=${selector}`, '--poll=10m', ...args],
      }),
    fleet: (...fleet) => createFleet(world, ...fleet),
    killProviders: processes.killAll,
    stop: async () => {
      await processes.stop();
      await world.stop();
    },
  };
}

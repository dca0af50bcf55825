/** A bare environment and a provider that reconciles only this environment's resources, within the test's process. */

import type { StartFlags } from '../../../internal/program/provider/flags.ts';
import {
  type BareEnvironment,
  type BareEnvironmentOptions,
  startBareEnvironment,
} from './bare-environment.ts';
import { type ProviderRun, runProvider } from './provider/provider-run.ts';

export interface TestEnvironment extends BareEnvironment {
  readonly provider: ProviderRun;
  /** Of the provider, as the options have them; commands in its container have them too. */
  readonly flags: Partial<StartFlags>;
  /** Stops the provider and starts another one, as a restart of the pod does. */
  restartProvider(flags?: Partial<StartFlags>): Promise<void>;
}

export interface TestEnvironmentOptions extends BareEnvironmentOptions {
  readonly flags?: Partial<StartFlags>;
}

export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const environment = await startBareEnvironment(options);
  const { account, simulator, selector } = environment;
  const start = (changes: Partial<StartFlags>) =>
    runProvider({
      kubeconfig: account.kubeconfig,
      trustedCertificates: [simulator.caCertificate],
      // Nothing that a test waits for may come from polling.
      flags: { poll: 600_000, watchLabelSelector: selector, ...options.flags, ...changes },
    });
  let flags = options.flags ?? {};
  let provider = await start({});
  return {
    ...environment,
    get flags() {
      return flags;
    },
    get provider() {
      return provider;
    },
    restartProvider: async (changes = {}) => {
      await provider.stop();
      flags = { ...options.flags, ...changes };
      provider = await start(changes);
    },
    stop: async () => {
      try {
        await provider.stop();
      } finally {
        await environment.stop();
      }
    },
  };
}

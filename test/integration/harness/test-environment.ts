/** A bare environment and a provider that reconciles only this environment's resources, within the test's process. */

import type { StartFlags } from '../../../internal/provider/flags.ts';
import {
  type BareEnvironment,
  type BareEnvironmentOptions,
  startBareEnvironment,
} from './bare-environment.ts';
import { type ProviderRun, runProvider } from './provider/provider-run.ts';

export interface TestEnvironment extends BareEnvironment {
  readonly provider: ProviderRun;
  /** Stops the provider and starts another one, as a restart of the pod does. */
  restartProvider(flags?: Partial<StartFlags>): Promise<void>;
}

export interface TestEnvironmentOptions extends BareEnvironmentOptions {
  readonly flags?: Partial<StartFlags>;
}

export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const environment = await startBareEnvironment(options);
  const { account, simulator, selector } = environment;
  const start = (flags: Partial<StartFlags>) =>
    runProvider({
      kubeconfig: account.kubeconfig,
      trustedCertificates: [simulator.caCertificate],
      // Nothing that a test waits for may come from polling.
      flags: { poll: 600_000, watchLabelSelector: selector, ...options.flags, ...flags },
    });
  let provider = await start({});
  return {
    ...environment,
    get provider() {
      return provider;
    },
    restartProvider: async (flags = {}) => {
      await provider.stop();
      provider = await start(flags);
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

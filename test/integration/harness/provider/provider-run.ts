import { parseUntrustedKubeconfig } from '../../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { createLogger } from '../../../../internal/framework/process/telemetry/json-logger.ts';
import { defaultFlags, type StartFlags } from '../../../../internal/program/provider/flags.ts';
import { createKymaProvider } from '../../../../internal/program/provider/kyma-provider.ts';

export interface ProviderRun {
  /** `http://127.0.0.1:port/metrics` and the like. */
  get(page: '/metrics' | '/healthz' | '/readyz'): Promise<string>;
  /** Everything it logged, debug lines included. */
  log(): string;
  /** As SIGTERM does. */
  stop(): Promise<void>;
}

export interface ProviderRunOptions {
  /** Of the management cluster, as text: loading client-node for a file would cost each test file a second. */
  readonly kubeconfig: string;
  readonly flags?: Partial<StartFlags>;
  readonly trustedCertificates?: readonly string[];
}

/** Runs the provider within the test's process, with the defaults of the command line. */
export async function runProvider(options: ProviderRunOptions): Promise<ProviderRun> {
  const lines: string[] = [];
  const stopping = new AbortController();
  const flags: StartFlags = {
    ...defaultFlags(),
    metricsBindAddress: '127.0.0.1:0',
    healthProbeBindAddr: '127.0.0.1:0',
    allowPrivateEndpoints: true,
    ...options.flags,
  };
  const manager = await createKymaProvider({
    config: parseUntrustedKubeconfig(options.kubeconfig),
    flags,
    log: createLogger({ debug: true, destination: { write: (line) => lines.push(line) } }),
    env: {},
    trustedCertificates: options.trustedCertificates ?? [],
  });
  const ended = manager.run(stopping.signal);
  // Errors while it ran are thrown by stop().
  ended.catch(() => undefined);
  return {
    get: async (page) => {
      const { metrics, health } = manager.addresses();
      const response = await fetch(`http://${page === '/metrics' ? metrics : health}${page}`);
      return response.text();
    },
    log: () => lines.join(''),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

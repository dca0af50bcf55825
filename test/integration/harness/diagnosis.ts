import { nopLogger } from '../../../internal/base/logger.ts';
import { openConnections } from '../../../internal/cli/provider.ts';
import {
  type Check,
  type Diagnosis,
  diagnose,
} from '../../../internal/controllers/inventory/kymainstancemapping/diagnose.ts';
import { parseUntrustedKubeconfig } from '../../../internal/kube/untrusted-kubeconfig.ts';
import { createPrometheusMetrics } from '../../../internal/runtime/metrics/prometheus.ts';
import type { World } from './world.ts';

export interface DiagnosisOptions {
  /** Of whoever asks; default: an admin of the management cluster. */
  readonly kubeconfig?: string;
  /** Whose rights are meant; default: those of whoever asks. */
  readonly user?: string;
}

/** What doctor finds. It runs within the test's process, which trusts the simulator without a change of the environment. */
export async function diagnosisOf(
  { planes, simulator }: World,
  of: string | { readonly name: string; readonly home?: string | undefined },
  { kubeconfig = planes.management.kubeconfig, user }: DiagnosisOptions = {},
): Promise<Diagnosis> {
  const { clusters, hanaCloud, close } = openConnections({
    config: parseUntrustedKubeconfig(kubeconfig),
    flags: { allowPrivateEndpoints: true, maxExternalCalls: 8, tokenCache: false },
    log: nopLogger,
    metrics: createPrometheusMetrics(),
    env: {},
    trustedCertificates: [simulator.caCertificate],
  });
  try {
    const { name, home } = typeof of === 'string' ? { name: of } : of;
    const more = {
      ...(home === undefined ? {} : { namespace: home }),
      ...(user === undefined ? {} : { user }),
    };
    return await diagnose({ clusters, hanaCloud, name, ...more, signal: AbortSignal.timeout(30_000) });
  } finally {
    await close();
  }
}

/** The checks that do not hold. */
export const problemsIn = ({ checks }: Diagnosis): Check[] =>
  checks.filter(({ status }) => status === 'waiting' || status === 'failed');

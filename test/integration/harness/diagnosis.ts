import { createDeps } from '../../../internal/base/deps.ts';
import { openInventoryConnections } from '../../../internal/controllers/inventory/connections/inventory-connections.ts';
import { diagnose } from '../../../internal/controllers/inventory/kymainstancemapping/diagnosis/diagnose.ts';
import type { Check, Diagnosis } from '../../../internal/controllers/module/diagnosis.ts';
import { parseUntrustedKubeconfig } from '../../../internal/kube/config/untrusted-kubeconfig.ts';
import { openProgramConnections } from '../../../internal/provider/connections/program-connections.ts';
import { defaultFlags } from '../../../internal/provider/flags.ts';
import type { TestEnvironment } from './test-environment.ts';

export interface DiagnosisOptions {
  /** Kubeconfig of doctor's user; default: an admin of the management cluster. */
  readonly kubeconfig?: string;
  /** The user whose permissions are checked; default: doctor's user. */
  readonly user?: string;
}

/** Runs doctor within the test's process, which trusts the simulator already. */
export async function diagnosisOf(
  { planes, simulator }: TestEnvironment,
  of: string | { readonly name: string; readonly home?: string | undefined },
  { kubeconfig = planes.management.kubeconfig, user }: DiagnosisOptions = {},
): Promise<Diagnosis> {
  const connections = openProgramConnections({
    deps: createDeps(),
    config: parseUntrustedKubeconfig(kubeconfig),
    env: {},
    trustedCertificates: [simulator.caCertificate],
  });
  const flags = { ...defaultFlags(), allowPrivateEndpoints: true, tokenCache: false };
  const { clusters, hanaCloud, close } = openInventoryConnections({ ...connections, flags });
  try {
    const { name, home } = typeof of === 'string' ? { name: of } : of;
    const more = {
      ...(home === undefined ? {} : { namespace: home }),
      ...(user === undefined ? {} : { user }),
    };
    return await diagnose({ clusters, hanaCloud, name, ...more, signal: AbortSignal.timeout(30_000) });
  } finally {
    await close();
    await connections.close();
  }
}

/** The failed checks. */
export const problemsIn = ({ checks }: Diagnosis): Check[] =>
  checks.filter(({ status }) => status === 'waiting' || status === 'failed');

/** Those that are not about conditions, which follow later. */
export const causesIn = (diagnosis: Diagnosis): Check[] =>
  problemsIn(diagnosis).filter(({ name }) => name !== 'conditions');

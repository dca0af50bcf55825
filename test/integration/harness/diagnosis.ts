import { expect } from '@jest/globals';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { Check, Diagnosis } from '../../../internal/framework/module/diagnosis.ts';
import { openProgramConnections } from '../../../internal/program/provider/connections/program-connections.ts';
import { defaultFlags } from '../../../internal/program/provider/flags.ts';
import { openInventoryConnections } from '../../../internal/systems/inventory/inventory-connections.ts';
import { diagnose } from '../../../internal/systems/inventory/kymainstancemapping/diagnosis/diagnose.ts';
import type { KymaInstanceMapping } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import type { ManagedObject } from './mappings/managed-object.ts';
import type { TestEnvironment } from './test-environment.ts';

export interface DiagnosisOptions {
  /** Kubeconfig of doctor's user; default: an admin of the management cluster. */
  readonly kubeconfig?: string;
  /** The user whose permissions are checked; default: doctor's user. */
  readonly user?: string;
}

/** Runs doctor within the test's process, which trusts the simulator already, with the flags of the provider. */
export async function diagnosisOf(
  { planes, simulator, flags: ofProvider }: TestEnvironment,
  of: string | { readonly name: string; readonly home?: string | undefined },
  { kubeconfig = planes.management.kubeconfig, user }: DiagnosisOptions = {},
): Promise<Diagnosis> {
  const connections = openProgramConnections({
    deps: createDeps(),
    config: parseUntrustedKubeconfig(kubeconfig),
    env: {},
    trustedCertificates: [simulator.caCertificate],
  });
  const flags = { ...defaultFlags(), allowPrivateEndpoints: true, tokenCache: false, ...ofProvider };
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

/**
 * Doctor is right about the mapping in its present state: healthy exactly when each of its conditions is True; else the report begins with
 * the conditions, in their words. Repeated while the conditions change.
 */
export async function expectRightDiagnosis(
  environment: TestEnvironment,
  mapping: ManagedObject<KymaInstanceMapping>,
): Promise<void> {
  const conditionsOf = async () => (await mapping.get()).status?.conditions ?? [];
  await eventually(async () => {
    const conditions = await conditionsOf();
    const { healthy, checks } = await diagnosisOf(environment, mapping);
    expect(await conditionsOf()).toEqual(conditions);
    const open = conditions.filter(({ status }) => status !== 'True');
    const isSettled = conditions.length > 0 && open.length === 0;
    const [problem] = problemsIn({ healthy, checks, mapping: mapping.name });
    expect([healthy, problem?.name]).toEqual(isSettled ? [true, undefined] : [false, 'conditions']);
    for (const { type, status, reason } of open)
      expect(problem?.detail).toContain(`${type} is ${status}, ${reason}`);
  });
}

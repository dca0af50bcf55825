import { createDeps } from '../../../internal/framework/base/deps.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { Diagnosis } from '../../../internal/framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../internal/framework/module/module.ts';
import { openProgramConnections } from '../../../internal/program/provider/connections/program-connections.ts';
import { defaultFlags } from '../../../internal/program/provider/flags.ts';
import { btp } from '../../../internal/systems/btp/btp.ts';
import type { BtpEnvironment } from './btp-environment.ts';

/** The diagnosis of `doctor` within the process of the test, as an admin, with the settings of the module. */
export interface Doctor {
  diagnose(question: Omit<DiagnosisQuestion, 'signal'>): Promise<Diagnosis>;
  close(): Promise<void>;
}

export async function openDoctor({ plane, simulator, releaseNamespace }: BtpEnvironment): Promise<Doctor> {
  const connections = openProgramConnections({
    deps: createDeps(),
    config: parseUntrustedKubeconfig(plane.kubeconfig),
    env: {},
    readOnly: true,
    trustedCertificates: [simulator.caCertificate],
  });
  const flags = { ...defaultFlags(), allowPrivateEndpoints: true, releaseNamespace };
  const opened = await btp.open({ ...connections, flags });
  return {
    diagnose: async (question) => {
      if (opened.diagnose === undefined) throw new Error('the module btp has no diagnosis');
      return opened.diagnose({ ...question, signal: AbortSignal.timeout(30_000) });
    },
    close: async () => {
      await opened.close();
      await connections.close();
    },
  };
}

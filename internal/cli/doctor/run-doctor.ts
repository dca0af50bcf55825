import { ProviderError } from '../../base/errors/errors.ts';
import { printed } from '../../console/format.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import { reporting } from '../../console/reporting-command.ts';
import { styleFor } from '../../console/style.ts';
import type { Diagnosis } from '../../controllers/module/diagnosis.ts';
import type { DiagnosisQuestion, OpenModule } from '../../controllers/module/module.ts';
import type { DoctorFlags } from '../flags.ts';
import { loadModules, openModules } from '../open-modules.ts';
import { openReadOnlyConnections } from '../read-only-connections.ts';
import { doctorExitCodes, formatDiagnosis } from './doctor.ts';

/** For all checks together. */
const TIMEOUT_MS = 60_000;

/** Prints the report and returns the exit code. */
export function runDoctor(mapping: string, flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    await using connections = await openReadOnlyConnections(flags, host);
    await using opened = openModules(await loadModules(), connections);
    const diagnosis = await diagnose(opened.modules, {
      name: mapping,
      ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
      ...(flags.as === undefined ? {} : { user: flags.as }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const style = styleFor(host.stdout, host.env);
    print(printed(flags.output, diagnosis, (shown) => formatDiagnosis(shown, style)));
    return diagnosis.healthy ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
  });
}

/** Calls `diagnose` of the module that supports it. */
function diagnose(modules: readonly OpenModule[], question: DiagnosisQuestion): Promise<Diagnosis> {
  for (const module of modules) if (module.diagnose !== undefined) return module.diagnose(question);
  throw new ProviderError('bug', 'no module can diagnose a resource');
}

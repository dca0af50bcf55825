import { diagnose } from '../controllers/inventory/kymainstancemapping/diagnose.ts';
import { doctorExitCodes, formatDiagnosis } from './doctor.ts';
import type { DoctorFlags } from './flags.ts';
import { printed } from './output/format.ts';
import { styleFor } from './output/style.ts';
import type { ProcessLike } from './process-like.ts';
import { openReadOnlyConnections } from './read-only-connections.ts';
import { reporting } from './reporting-command.ts';

/** All checks together, in ms. */
const TIMEOUT_MS = 60_000;

/** Prints the report and returns the exit code. */
export function runDoctor(mapping: string, flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    await using connections = await openReadOnlyConnections(flags, host);
    const { clusters, hanaCloud } = connections;
    const diagnosis = await diagnose({
      clusters,
      hanaCloud,
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

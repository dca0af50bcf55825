/**
 * Parts of the framework that few processes use: their code is loaded by the first call, not by an import of the
 * index.
 */

import type { Traces } from '../process/telemetry/tracing/open-traces.ts';
import type { TracesOptions } from '../process/telemetry/tracing/trace-settings.ts';
import type { ChangeLog, ChangeLogOptions } from './changelog/change-log.ts';

/** Opens the connection to the sidecar that receives an entry for each attempt to change an external resource. */
export async function openChangeLog(options: ChangeLogOptions): Promise<ChangeLog> {
  const { createChangeLog } = await import('./changelog/change-log.ts');
  return createChangeLog(options);
}

/** Opens the exporter of traces, for `createProvider`. `traceSettings` reads its settings from the environment. */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { openTraces: open } = await import('../process/telemetry/tracing/open-traces.ts');
  return open(options);
}

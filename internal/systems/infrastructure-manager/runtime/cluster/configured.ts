/** Whether the cluster of a Ready Runtime was configured for its newest version, so that nothing is requested at rest. */
import { pollAfter, type ReconcileResult } from '../../../../framework/controller/index.ts';
import { type RuntimeRun, remember } from '../run.ts';

/** What others change in the cluster is put right this often, in ms. Clusters are not watched. */
const CHECK_AGAIN_MS = 3_600_000;

const versionOf = ({ object, shoot, rendering }: RuntimeRun): string =>
  JSON.stringify([object.metadata.generation, shoot?.metadata.uid, rendering.revision()]);

/** When the next check is due; undefined: now. */
export function nextCheck(run: RuntimeRun): ReconcileResult | undefined {
  const { context, object } = run;
  const configured = context.memory.get()?.configured;
  if (object.status?.state !== 'Ready' || configured?.version !== versionOf(run)) return undefined;
  const leftMs = configured.at + CHECK_AGAIN_MS - context.clock.monotonic();
  return leftMs > 0 ? pollAfter(leftMs) : undefined;
}

/** @returns when the next check is due */
export function rememberConfigured(run: RuntimeRun): ReconcileResult {
  remember(run, { configured: { version: versionOf(run), at: run.context.clock.monotonic() } });
  return pollAfter(CHECK_AGAIN_MS);
}

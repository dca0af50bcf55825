/** `doctor --before-uninstall`. */

import {
  reviewUninstall,
  type UninstallReview,
} from '../../framework/managed/preview/uninstall/uninstall-review.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { reporting } from '../../framework/module/console/reporting-command.ts';
import { printed, type Shown, type Style, styleFor, table } from '../../framework/module/console/shown.ts';
import { openReadOnlyConnections } from '../provider/connections/program-connections.ts';
import { loadModules } from '../provider/open-modules.ts';
import { type DoctorFlags, doctorExitCodes } from './doctor.ts';

const TIMEOUT_MS = 120_000;

/** Prints resources that an uninstallation would lose or block. Exit code: `unhealthy` if there are any. */
export function runBeforeUninstall(flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    const modules = await loadModules();
    await using connections = await openReadOnlyConnections(flags, host);
    const review = await reviewUninstall({
      client: connections.client,
      managed: modules.flatMap(({ kinds }) => kinds.map(({ type }) => type)),
      configs: modules.flatMap(({ configs }) => configs),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const style = styleFor(host.stdout, host.env);
    print(printed(flags.output, review, (shown) => formatReview(shown, style)));
    return review.safe ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
  });
}

/** A table, the commands that fix findings, and the verdict. */
export function formatReview(review: Shown<UninstallReview>, style: Style): string {
  const { findings, unaffected, notInstalled } = review;
  const absent =
    notInstalled.length === 0 ? '' : style('faint', `not installed: ${notInstalled.join(', ')}\n`);
  if (findings.length === 0) {
    return `${absent}Nothing would be lost or hang; ${unaffected} objects would go with the provider.\n`;
  }
  const rows = findings.map(({ fate, kind, namespace, name, externalName = '', why }) => [
    style(fate === 'lost' ? 'bad' : 'notice', fate),
    kind,
    namespace === undefined ? name : `${namespace}/${name}`,
    externalName,
    why,
  ]);
  const commands = findings.flatMap(({ remediation }) => (remediation === undefined ? [] : [remediation]));
  const mending = commands.length === 0 ? '' : `\nWhile the provider runs:\n  ${commands.join('\n  ')}\n`;
  const count = (fate: string) => findings.filter((finding) => finding.fate === fate).length;
  return [
    absent,
    table(['FATE', 'KIND', 'NAME', 'EXTERNAL-NAME', 'WHY'], rows),
    mending,
    `\n${count('lost')} would be lost, ${count('hangs')} would hang, ${unaffected} would go without trouble.\n`,
  ].join('');
}

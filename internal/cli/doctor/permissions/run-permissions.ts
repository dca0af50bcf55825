/** `doctor --permissions`. */
import { stringify } from 'yaml';
import { printed } from '../../../console/format.ts';
import type { ProcessLike } from '../../../console/process-like.ts';
import { reporting } from '../../../console/reporting-command.ts';
import { type Style, styleFor } from '../../../console/style.ts';
import { table } from '../../../console/table.ts';
import type { Shown } from '../../../console/visible.ts';
import { openReadOnlyConnections } from '../../connections/command-connections.ts';
import type { DoctorFlags } from '../../flags.ts';
import { loadModules } from '../../open-modules.ts';
import { doctorExitCodes } from '../doctor.ts';
import { requiredRights } from './required-rights.ts';
import { type PermissionReview, reviewPermissions } from './review-permissions.ts';

const TIMEOUT_MS = 60_000;

/** Prints the missing rights on the management cluster. Returns the exit code. */
export function runPermissions(flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    await using connections = await openReadOnlyConnections(flags, host);
    const review = await reviewPermissions({
      client: connections.client,
      rights: requiredRights(await loadModules()),
      ...(flags.as === undefined ? {} : { user: flags.as }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const style = styleFor(host.stdout, host.env);
    print(printed(flags.output, review, (shown) => formatPermissions(shown, style)));
    return review.sufficient ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
  });
}

/** One line per missing right, the rules to add for each purpose, and the verdict. */
function formatPermissions(review: Shown<PermissionReview>, style: Style): string {
  const { user, asked, missing } = review;
  const whose = user === undefined ? 'You' : user;
  const may = `${asked - missing.length} of ${asked} rights granted`;
  if (missing.length === 0) return `${whose}: ${may}\n`;
  const rows = missing.map(({ verb, resource, neededFor, otherwise }) => [
    otherwise === undefined ? style('bad', 'FAIL') : style('notice', 'warn'),
    verb,
    resource,
    neededFor,
    otherwise === undefined ? 'does not work' : otherwise,
  ]);
  const inOneLine = { lineWidth: 0, collectionStyle: 'flow' } as const;
  const neededFor = new Map(missing.map((right) => [right.purpose, right.neededFor]));
  const rules = Object.entries(review.rules).flatMap(([purpose, wanted]) => [
    `  # for ${neededFor.get(purpose)}`,
    ...wanted.map((rule) => `  - ${stringify(rule, inOneLine).trim()}`),
  ]);
  return [
    table(['', 'VERB', 'RESOURCE', 'NEEDED FOR', 'WITHOUT IT'], rows),
    `\nAdd to a ClusterRole that is bound to ${user ?? 'you'}:\nrules:\n${rules.join('\n')}\n`,
    `\n${whose}: ${may}\n`,
  ].join('');
}

/** `doctor --permissions`. */
import { stringify } from 'yaml';
import { systemClock } from '../../base/clock.ts';
import { systemRandom } from '../../base/random.ts';
import { loadClusterConfig } from '../../kube/load-cluster-config.ts';
import { createKubeClient } from '../../kube/rest-client.ts';
import { createPrometheusMetrics } from '../../runtime/metrics/prometheus.ts';
import { doctorExitCodes } from '../doctor.ts';
import type { DoctorFlags } from '../flags.ts';
import { managedKinds } from '../kinds.ts';
import { printed } from '../output/format.ts';
import { type Style, styleFor } from '../output/style.ts';
import { table } from '../output/table.ts';
import type { ProcessLike } from '../process-like.ts';
import { reporting } from '../reporting-command.ts';
import { type Purpose, purposes, requiredRights } from './required-rights.ts';
import { type PermissionReview, reviewPermissions } from './review-permissions.ts';

/** In ms. */
const TIMEOUT_MS = 60_000;

/** Prints which rights are missing on the management cluster, and returns the exit code. */
export function runPermissions(flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    const clock = systemClock;
    const { kubeconfig, context } = flags;
    const config = await loadClusterConfig({ clock, kubeconfig, context, env: host.env });
    const client = createKubeClient({
      config,
      clusterName: 'management cluster',
      clock,
      random: systemRandom,
      metrics: createPrometheusMetrics(),
    });
    try {
      const review = await reviewPermissions({
        client,
        rights: requiredRights(managedKinds),
        ...(flags.as === undefined ? {} : { user: flags.as }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const style = styleFor(host.stdout, host.env);
      print(printed(flags.output, review, () => formatPermissions(review, style)));
      return review.sufficient ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
    } finally {
      await client.close();
    }
  });
}

/** The review for people: a line for each missing right, the rules to add for each purpose, and the verdict. */
export function formatPermissions(review: PermissionReview, style: Style): string {
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
  const rules = (Object.keys(purposes) as Purpose[]).flatMap((purpose) => {
    const wanted = review.rules[purpose];
    if (wanted === undefined) return [];
    const inOneLine = { lineWidth: 0, collectionStyle: 'flow' } as const;
    return [
      `  # for ${purposes[purpose]}`,
      ...wanted.map((rule) => `  - ${stringify(rule, inOneLine).trim()}`),
    ];
  });
  return [
    table(['', 'VERB', 'RESOURCE', 'NEEDED FOR', 'WITHOUT IT'], rows),
    `\nAdd to a ClusterRole that is bound to ${user ?? 'you'}:\nrules:\n${rules.join('\n')}\n`,
    `\n${whose}: ${may}\n`,
  ].join('');
}

/** `doctor --permissions`. */
import { stringify } from 'yaml';
import { printed } from '../../../framework/module/console/format.ts';
import type { ProcessLike } from '../../../framework/module/console/process-like.ts';
import { reporting } from '../../../framework/module/console/reporting-command.ts';
import type { Shown } from '../../../framework/module/console/shown.ts';
import { type Style, styleFor } from '../../../framework/module/console/style.ts';
import { table } from '../../../framework/module/console/table.ts';
import type { LoadedModule, ModuleContext } from '../../../framework/module/module.ts';
import { openReadOnlyConnections } from '../../provider/connections/command-connections.ts';
import type { StartFlags } from '../../provider/flags.ts';
import { leaderLease } from '../../provider/leader-lease.ts';
import { loadModules } from '../../provider/open-modules.ts';
import { doctorExitCodes } from '../doctor.ts';
import type { DoctorFlags } from '../doctor-flags.ts';
import { composingRights, type RightsOptions, requiredRights } from './required-rights.ts';
import { type PermissionReview, type RulesByPurpose, reviewPermissions } from './review-permissions.ts';

const TIMEOUT_MS = 60_000;

/** Prints the missing rights on the management cluster. Returns the exit code. */
export function runPermissions(flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    await using connections = await openReadOnlyConnections(flags, host);
    const context = { ...connections, flags: { ...connections.flags, ...flags } };
    const modules = await loadModules(flags.controllers);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const management = await reviewPermissions({
      client: connections.client,
      rights: flags.composing
        ? composingRights(modules)
        : requiredRights(modules, {
            flags: context.flags,
            ...leaseOf(flags, host.env, connections.namespace),
          }),
      ...(flags.as === undefined ? {} : { user: flags.as }),
      signal,
    });
    const review = withOthers(management, await reviewOthers(modules, context, signal));
    const style = styleFor(host.stdout, host.env);
    print(printed(flags.output, review, (shown) => formatPermissions(shown, style)));
    return review.sufficient ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
  });
}

async function reviewOthers(
  modules: readonly LoadedModule<StartFlags>[],
  context: ModuleContext<StartFlags>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, PermissionReview>>> {
  const reviews: Record<string, PermissionReview> = {};
  for (const module of modules) {
    for (const { cluster, rights } of (await module.otherClusters?.(context)) ?? []) {
      try {
        reviews[cluster.displayName] = await reviewPermissions({ client: cluster.client, rights, signal });
      } finally {
        await cluster.close();
      }
    }
  }
  return reviews;
}

function withOthers(
  management: PermissionReview,
  otherClusters: Readonly<Record<string, PermissionReview>>,
): PermissionReview {
  const others = Object.values(otherClusters);
  if (others.length === 0) return management;
  const sufficient = management.sufficient && others.every((other) => other.sufficient);
  return { ...management, sufficient, otherClusters };
}

/** The Lease of leader election, if the environment is that of a pod. */
function leaseOf(
  { as = '' }: DoctorFlags,
  env: ProcessLike['env'],
  current: string,
): Pick<RightsOptions, 'lease'> {
  if (!env.PROVIDER_NAME) return {};
  const [, namespace = current] = /^system:serviceaccount:([^:]+):/.exec(as) ?? [];
  const flags = { leaderElectionNamespace: '', watchLabelSelector: '' };
  return { lease: leaderLease(flags, { namespace }, env).lease };
}

/** For each cluster. */
function formatPermissions(review: Shown<PermissionReview>, style: Style): string {
  const { user = 'you', otherClusters = {} } = review;
  // A part of a shown value is shown.
  const others = Object.entries(otherClusters).map(
    ([cluster, each]) =>
      `\n${formatReview(each as Shown<PermissionReview>, `the user of the kubeconfig of ${cluster}`, style)}`,
  );
  return [formatReview(review, user, style), ...others].join('');
}

/** One line per missing right, the rules to add for each purpose, and the verdict. */
function formatReview(review: Shown<PermissionReview>, user: string, style: Style): string {
  const { asked, missing } = review;
  const whose = user.replace(/^(you|the)\b/, (word) => (word === 'you' ? 'You' : 'The'));
  const may = `${asked - missing.length} of ${asked} rights granted`;
  if (missing.length === 0) return `${whose}: ${may}\n`;
  const rows = missing.map(({ verb, resource, object, namespace, neededFor, otherwise }) => [
    otherwise === undefined ? style('bad', 'FAIL') : style('notice', 'warn'),
    verb,
    [resource, ...(object ? [object] : []), ...(namespace ? [`in ${namespace}`] : [])].join(' '),
    neededFor,
    otherwise === undefined ? 'does not work' : otherwise,
  ]);
  const inOneLine = { lineWidth: 0, collectionStyle: 'flow' } as const;
  const neededFor = new Map(missing.map((right) => [right.purpose, right.neededFor]));
  const toAdd = (role: string, rules: RulesByPurpose) => {
    const lines = Object.entries(rules).flatMap(([purpose, wanted]) => [
      `  # for ${neededFor.get(purpose)}`,
      ...wanted.map((rule) => `  - ${stringify(rule, inOneLine).trim()}`),
    ]);
    if (lines.length === 0) return '';
    return `\nAdd to a ${role} that is bound to ${user}:\nrules:\n${lines.join('\n')}\n`;
  };
  return [
    table(['', 'VERB', 'RESOURCE', 'NEEDED FOR', 'WITHOUT IT'], rows),
    toAdd('ClusterRole', review.rules),
    ...Object.entries(review.namespacedRules).map(([namespace, rules]) =>
      toAdd(`Role in namespace ${namespace}`, rules),
    ),
    `\n${whose}: ${may}\n`,
  ].join('');
}

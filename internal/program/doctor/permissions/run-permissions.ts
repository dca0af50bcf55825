/** `doctor --permissions`. */
import { stringify } from 'yaml';
import { inParallel } from '../../../framework/base/index.ts';
import { canI } from '../../../framework/kube/client/access-review.ts';
import {
  customResourceDefinitions,
  groupResource,
  type KubeClient,
  type ResourceType,
} from '../../../framework/kube/index.ts';
import { events, leases } from '../../../framework/kube/object/resource-type.ts';
import { configTypes } from '../../../framework/managed/index.ts';
import type { ProcessLike } from '../../../framework/module/console/process-like.ts';
import { reporting } from '../../../framework/module/console/reporting-command.ts';
import { printed, type Shown, type Style, styleFor, table } from '../../../framework/module/console/shown.ts';
import type { LoadedModule, ModuleContext } from '../../../framework/module/module.ts';
import {
  inNamespaces,
  type Purpose,
  type RequiredRight,
  rightsFor,
} from '../../../framework/module/right.ts';
import { openReadOnlyConnections } from '../../provider/connections/program-connections.ts';
import { defaultFlags, type StartFlags } from '../../provider/flags.ts';
import { leaderLease } from '../../provider/leader-lease.ts';
import { loadModules } from '../../provider/open-modules.ts';
import { type DoctorFlags, doctorExitCodes } from '../doctor.ts';
import { type PolicyRule, rulesFor } from './policy-rules.ts';

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

interface MissingRight {
  readonly verb: string;
  /** `providerconfigusages.example.org`, `…/status`. */
  readonly resource: string;
  /** The only object that it is needed for; absent: all. */
  readonly object?: string;
  /** The only namespace that it is needed in; absent: all. */
  readonly namespace?: string;
  readonly purpose: string;
  /** Description for users. */
  readonly neededFor: string;
  /** What still works without the right; absent: nothing that needs it. */
  readonly otherwise?: string;
}

export interface PermissionReview {
  /** The user; absent: the current user. */
  readonly user?: string;
  readonly asked: number;
  /** No required right is missing. */
  readonly sufficient: boolean;
  readonly missing: readonly MissingRight[];
  /** Rules to add to a ClusterRole of the user, by purpose. */
  readonly rules: RulesByPurpose;
  /** Rules to add to a Role in each of these namespaces. */
  readonly namespacedRules: Readonly<Record<string, RulesByPurpose>>;
  /** Of the user whose kubeconfig the module has, on other clusters, by the name of the cluster; absent: there are none. */
  readonly otherClusters?: Readonly<Record<string, PermissionReview>>;
}

type RulesByPurpose = Readonly<Record<string, readonly PolicyRule[]>>;

interface ReviewOptions {
  readonly client: KubeClient;
  readonly rights: readonly RequiredRight[];
  /** Default: the client's user. */
  readonly user?: string;
  readonly signal: AbortSignal;
}

/** Concurrent access reviews. */
const WIDTH = 8;

/** Sends an access review for each right. @throws if the API server does not answer */
export async function reviewPermissions({
  client,
  rights,
  user,
  signal,
}: ReviewOptions): Promise<PermissionReview> {
  const denied = new Set<RequiredRight>();
  await inParallel(rights, WIDTH, async (right) => {
    const { allowed } = await canI(client, right, { signal, ...(user === undefined ? {} : { user }) });
    if (!allowed) denied.add(right);
  });
  const missing = rights.filter((right) => denied.has(right));
  const byNamespace = Map.groupBy(missing, ({ namespace }) => namespace);
  const everywhere = byNamespace.get(undefined) ?? [];
  byNamespace.delete(undefined);
  return {
    ...(user === undefined ? {} : { user }),
    asked: rights.length,
    sufficient: missing.every(({ purpose }) => purpose.otherwise !== undefined),
    missing: missing.map(describe),
    rules: rulesByPurpose(everywhere),
    namespacedRules: Object.fromEntries(
      [...byNamespace].map(([namespace, rights]) => [namespace, rulesByPurpose(rights)]),
    ),
  };
}

const rulesByPurpose = (rights: readonly RequiredRight[]): RulesByPurpose =>
  Object.fromEntries(
    [...Map.groupBy(rights, ({ purpose }) => purpose.name)].map(([name, those]) => [name, rulesFor(those)]),
  );

function describe({ verb, type, subresource, name, namespace, purpose }: RequiredRight): MissingRight {
  const resource = groupResource(type);
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name === undefined ? {} : { object: name }),
    ...(namespace === undefined ? {} : { namespace }),
    purpose: purpose.name,
    neededFor: purpose.neededFor,
    ...(purpose.otherwise === undefined ? {} : { otherwise: purpose.otherwise }),
  };
}

// All rights that the provider's user needs on the management cluster, by purpose. Tests compare the list with the
// roles of the examples and with the API server's audit log.

const resources: Purpose = { name: 'resources', neededFor: 'every resource' };
const configurations: Purpose = {
  name: 'configs',
  neededFor: 'provider configurations and their usages',
};
const orphanedUsages: Purpose = {
  name: 'orphaned-usages',
  neededFor: 'deleting usages without an owner',
  otherwise: 'these usages stay, and do not count',
};
const eventRecords: Purpose = { name: 'events', neededFor: 'events', otherwise: 'no events are written' };
const leaderElection: Purpose = {
  name: 'leader-election',
  neededFor: 'leader election',
  otherwise: 'only one replica is possible, with --no-leader-election',
};
const safeStart: Purpose = {
  name: 'safe-start',
  neededFor: 'starting and stopping kinds with their CRDs',
  otherwise: 'all kinds are started, and wait for their CRDs',
};

const composition: Purpose = { name: 'composition', neededFor: 'composing these kinds' };

/** The rights of Crossplane that composes the kinds of the modules, by server-side apply. */
export const composingRights = (
  modules: readonly Pick<LoadedModule<StartFlags>, 'kinds' | 'composed'>[],
): RequiredRight[] =>
  modules
    .flatMap(({ kinds, composed = [] }): ResourceType[] => [...kinds.map(({ type }) => type), ...composed])
    .flatMap((type) =>
      rightsFor(composition, type, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
    );

interface RightsOptions {
  /** Of `start`. They decide in which namespaces modules need rights. */
  readonly flags?: StartFlags;
  /** The Lease of leader election; default: any, in any namespace. */
  readonly lease?: { readonly name: string; readonly namespace: string };
}

/** The rights of the modules, and those that the framework needs for all of them. */
export function requiredRights(
  modules: readonly Omit<LoadedModule<StartFlags>, 'open'>[],
  { flags = defaultFlags(), lease }: RightsOptions = {},
): RequiredRight[] {
  const kinds = modules.flatMap((module) => module.kinds);
  const configs = modules.flatMap((module) => module.configs);
  const usages = configs.map(({ usage }) => usage);
  const owned = (purpose: Purpose, type: ResourceType) => [
    ...rightsFor(purpose, type, ['get', 'list', 'watch', 'update']),
    ...rightsFor(purpose, type, ['update'], 'status'),
  ];
  return [
    ...kinds.flatMap(({ type }) => [
      ...owned(resources, type),
      // For `blockOwnerDeletion` of usages: admission plugin OwnerReferencesPermissionEnforcement.
      ...rightsFor(resources, type, ['update'], 'finalizers'),
    ]),
    ...configs.flatMap(configTypes).flatMap((type) => owned(configurations, type)),
    ...usages.flatMap((type) => rightsFor(configurations, type, ['get', 'list', 'watch', 'create', 'patch'])),
    ...usages.flatMap((type) => rightsFor(orphanedUsages, type, ['delete'])),
    ...modules.flatMap((module) => module.rights(flags)),
    ...inNamespaces(
      rightsFor(eventRecords, events, ['create', 'patch']),
      reconciledNamespaces(modules, flags),
    ),
    ...inNamespaces(
      rightsFor(leaderElection, leases, ['create']),
      lease === undefined ? undefined : [lease.namespace],
    ),
    ...rightsFor(leaderElection, leases, ['get', 'update']).map((right) => ({ ...right, ...lease })),
    ...rightsFor(safeStart, customResourceDefinitions, ['get', 'list', 'watch']),
  ];
}

/** Of all modules; undefined: all namespaces. */
function reconciledNamespaces(
  modules: readonly Omit<LoadedModule<StartFlags>, 'open'>[],
  flags: StartFlags,
): readonly string[] | undefined {
  const lists = modules.map((module) => module.namespaces?.(flags));
  return lists.includes(undefined) ? undefined : [...new Set(lists.flatMap((list) => list ?? []))];
}

import { inParallel } from '../../../framework/base/index.ts';
import { canI } from '../../../framework/kube/client/access-review.ts';
import { groupResource, type KubeClient } from '../../../framework/kube/index.ts';
import type { RequiredRight } from '../../../framework/module/right.ts';
import { type PolicyRule, rulesFor } from './policy-rules.ts';

export interface MissingRight {
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

export type RulesByPurpose = Readonly<Record<string, readonly PolicyRule[]>>;

export interface ReviewOptions {
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

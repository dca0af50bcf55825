import type { RequiredRight } from '../../../controllers/module/right.ts';
import { canI } from '../../../kube/client/access-review.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { groupResource } from '../../../kube/object/resource-type.ts';
import { type PolicyRule, rulesFor } from './policy-rules.ts';

export interface MissingRight {
  readonly verb: string;
  /** `providerconfigusages.example.org`, `…/status`. */
  readonly resource: string;
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
  readonly rules: Readonly<Record<string, readonly PolicyRule[]>>;
}

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
  const waiting = [...rights];
  const denied = new Set<RequiredRight>();
  const ask = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { allowed } = await canI(client, next, { signal, ...(user === undefined ? {} : { user }) });
      if (!allowed) denied.add(next);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, ask));
  const missing = rights.filter((right) => denied.has(right));
  const found = new Set(missing.map(({ purpose }) => purpose));
  return {
    ...(user === undefined ? {} : { user }),
    asked: rights.length,
    sufficient: missing.every(({ purpose }) => purpose.otherwise !== undefined),
    missing: missing.map(describe),
    rules: Object.fromEntries(
      [...found].map((purpose) => [
        purpose.name,
        rulesFor(missing.filter((right) => right.purpose === purpose)),
      ]),
    ),
  };
}

function describe({ verb, type, subresource, purpose }: RequiredRight): MissingRight {
  const resource = groupResource(type);
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    purpose: purpose.name,
    neededFor: purpose.neededFor,
    ...(purpose.otherwise === undefined ? {} : { otherwise: purpose.otherwise }),
  };
}

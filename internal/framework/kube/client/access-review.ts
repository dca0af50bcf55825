import { shellCommand } from '../../base/text/shell.ts';
import type { KubeObject } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import type { CallOptions, KubeClient } from './client.ts';

/** A request to be authorized. Without a namespace: in all namespaces. Without a name: for all objects. */
export interface AccessQuestion {
  /** A verb of RBAC rules: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
  readonly verb: string;
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

interface AccessAnswer {
  readonly allowed: boolean;
  /** The text of the authorizer, often empty. */
  readonly reason: string;
}

const selfSubjectAccessReviews: ResourceType<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

const subjectAccessReviews: ResourceType<AccessReview> = {
  ...selfSubjectAccessReviews,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
};

interface AccessReview extends KubeObject {
  readonly spec: {
    readonly resourceAttributes: Readonly<Record<string, string | undefined>>;
    readonly user?: string;
    readonly groups?: readonly string[];
  };
  readonly status?: { readonly allowed?: boolean; readonly reason?: string };
}

export interface AccessOptions extends CallOptions {
  /**
   * The user in question, as in audit events: `system:serviceaccount:crossplane-system:provider-kyma`. Default: the user of
   * the client (SelfSubjectAccessReview, allowed for every authenticated user).
   */
  readonly user?: string;
}

/** Asks the API server whether the client's user or another user may do something. */
export async function canI(
  client: KubeClient,
  { verb, type, namespace, name, subresource }: AccessQuestion,
  { user, ...options }: AccessOptions = {},
): Promise<AccessAnswer> {
  const reviews = user === undefined ? selfSubjectAccessReviews : subjectAccessReviews;
  const review: AccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: reviews.kind,
    // Reviews are not stored and have no name.
    metadata: { name: '' },
    spec: {
      ...(user === undefined ? {} : { user, groups: groupsOf(user) }),
      resourceAttributes: {
        verb,
        group: type.group,
        version: type.version,
        resource: type.plural,
        subresource,
        namespace: type.namespaced ? namespace : undefined,
        name,
      },
    },
  };
  const { status } = await client.create(reviews, review, options);
  return { allowed: status?.allowed === true, reason: status?.reason ?? '' };
}

/** The groups that the API server adds to a user. */
function groupsOf(user: string): string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  const accounts =
    namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return [...accounts, 'system:authenticated'];
}

/** How to grant the permission, as one line for users: `add {…} to a ClusterRole …`. */
export function grantRule({ verb, type, namespace, name, subresource }: AccessQuestion): string {
  const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  const names = name === undefined || verb === 'create' ? '' : `, resourceNames: [${JSON.stringify(name)}]`;
  const rule = `{apiGroups: ["${type.group}"], resources: ["${resource}"]${names}, verbs: ["${verb}"]}`;
  const role =
    type.namespaced && namespace !== undefined ? `a Role in namespace ${namespace}` : 'a ClusterRole';
  return `add ${rule} to ${role} that is bound to this user`;
}

/** The user who lacks a permission; `user` as in audit events. Undefined: the API server does not say its name. */
export interface GrantOptions {
  readonly user: string | undefined;
  /** Words between `kubectl` and the verb. Default: none. */
  readonly flags?: readonly string[];
}

/**
 * Commands that grant the permission to the user: a Role or ClusterRole of its own, and its binding. Without the user, the rule as
 * `grantRule` prints it.
 */
export function grantCommand(question: AccessQuestion, { user, flags = [] }: GrantOptions): string {
  if (user === undefined) return grantRule(question);
  const { verb, type, namespace, name, subresource } = question;
  const resource = subresource === undefined ? groupResource(type) : `${groupResource(type)}/${subresource}`;
  const inNamespace = type.namespaced && namespace !== undefined;
  const kind = inNamespace ? 'role' : 'clusterrole';
  const kubectl = ['kubectl', ...flags, ...(inNamespace ? ['-n', namespace] : []), 'create'];
  const names = name === undefined || verb === 'create' ? [] : [`--resource-name=${name}`];
  const role = ['provider-kyma', verb, type.plural, subresource, ...(names.length === 0 ? [] : [name])]
    .filter((part) => part !== undefined)
    .join('-');
  return [
    shellCommand(...kubectl, kind, role, `--verb=${verb}`, `--resource=${resource}`, ...names),
    shellCommand(...kubectl, `${kind}binding`, role, `--${kind}=${role}`, subjectFlag(user)),
  ].join(' && ');
}

function subjectFlag(user: string): string {
  const [, account] = /^system:serviceaccount:([^:]+:[^:]+)$/.exec(user) ?? [];
  return account === undefined ? `--user=${user}` : `--serviceaccount=${account}`;
}

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const selfSubjectReviews: ResourceType<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

/**
 * The name of the client's user as the API server knows it, as `kubectl auth whoami` prints it. Allowed for every authenticated
 * user, from Kubernetes 1.28.
 *
 * @returns undefined: the server does not say
 */
export async function ownUserOf(client: KubeClient, options: CallOptions = {}): Promise<string | undefined> {
  const review: SelfSubjectReview = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    // Reviews are not stored and have no name.
    metadata: { name: '' },
  };
  const { status } = await client.create(selfSubjectReviews, review, options);
  return status?.userInfo?.username || undefined;
}

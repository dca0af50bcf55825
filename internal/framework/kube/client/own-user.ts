import type { KubeObject } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { CallOptions, KubeClient } from './client.ts';

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

import type { ObservedRequest } from '../../internal/framework/http/transport/send-request.ts';
import type { ResourceType } from '../../internal/framework/kube/object/resource-type.ts';

/** What a request to an API server is about. */
export interface KubeRequest {
  /** Its kind is not known: it is named as the plural. */
  readonly type: ResourceType;
  /** Undefined: a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const RESOURCE =
  /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** Undefined: the request is for another API. */
export function kubeRequestOf({ url }: Pick<ObservedRequest, 'url'>): KubeRequest | undefined {
  const [, core, group = '', version = core ?? '', namespace, plural = '', name, subresource] =
    RESOURCE.exec(url.pathname) ?? [];
  if (plural === '') return undefined;
  const type = { group, version, kind: plural, plural, namespaced: namespace !== undefined };
  return { type, name, subresource };
}

/** Kinds of runtime clusters, as far as they are read and written here. */
import type { KubeObject, ResourceType } from '../../../../framework/kube/index.ts';

/** An issuer of tokens that the webhook of the extension shoot-oidc-service trusts. */
export interface OpenIdConnectSpec {
  readonly issuerURL: string;
  readonly clientID: string;
  readonly usernameClaim?: string;
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
  readonly supportedSigningAlgs?: readonly string[];
  /** `keys`: base64 of a JSON Web Key Set. */
  readonly jwks?: { readonly keys: string };
}

export interface OpenIdConnect extends KubeObject {
  readonly spec?: OpenIdConnectSpec;
}

export const openIdConnectType: ResourceType<OpenIdConnect> & { readonly apiVersion: string } = {
  apiVersion: 'authentication.gardener.cloud/v1alpha1',
  group: 'authentication.gardener.cloud',
  version: 'v1alpha1',
  kind: 'OpenIDConnect',
  plural: 'openidconnects',
  namespaced: false,
};

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
}

export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

export const clusterRoleBindings: ResourceType<ClusterRoleBinding> & { readonly apiVersion: string } = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};

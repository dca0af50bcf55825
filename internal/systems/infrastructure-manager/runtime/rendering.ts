import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ConfigMap } from '../../../framework/kube/index.ts';
import type { AccessControl } from '../rendering/model/extender.ts';
import type { OpenIdConnectSpec } from './cluster/kinds.ts';

/** Where audit logs go. */
export interface AuditData {
  readonly tenantID: string;
  readonly serviceURL: string;
  /** Secret of the project with the credentials. */
  readonly secretName: string;
}

/** What a Shoot is rendered from beside the Runtime and the configuration. */
export interface RenderingFacts {
  /** Default: no audit logs. */
  readonly audit?: AuditData | undefined;
  /** Default: access control lists are not enabled. */
  readonly accessControl?: AccessControl | undefined;
  /** Secrets of the project with the credentials of registry caches, by the uid of the cache. Default: there are none. */
  readonly cacheSecrets?: ReadonlyMap<string, string> | undefined;
}

/** Renders Shoots. The functions are pure and change none of their arguments. */
export interface ShootRendering {
  /** What the configuration has for provider and region; a text: why it has nothing. */
  auditData(runtime: Runtime): { readonly data: AuditData } | { readonly missing: string };
  /** The Shoot to create. @throws if the Runtime cannot be rendered */
  create(runtime: Runtime, facts?: RenderingFacts): Shoot;
  /** The fields of the existing Shoot that follow the Runtime. @throws as `create` */
  patch(runtime: Runtime, live: Shoot, facts?: RenderingFacts): Shoot;
  /** Whether the Shoot has an access control list if these are enabled. @throws if the Runtime has no spec */
  needsAccessControl(runtime: Runtime): boolean;
  /** The ConfigMap with the ranges of all access control lists; empty: the configuration names none. */
  accessControlName(): string;
  /** Issuers that the runtime trusts beside that of its API server. */
  openIdConnects(runtime: Runtime): readonly OpenIdConnectSpec[];
  /** Differs when the configuration differs. */
  revision(): number;
  /** The ConfigMap with the authentication configuration of the Shoot. */
  authenticationConfig(runtime: Runtime): ConfigMap;
}

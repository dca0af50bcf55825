import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ConfigMap } from '../../../kube/index.ts';
import type { OpenIdConnectSpec } from './cluster/kinds.ts';

/** What the configuration has for audit logs of a region; the states only pass it on. */
export type AuditData = object;

/** Renders Shoots. The functions are pure and change none of their arguments. */
export interface ShootRendering {
  /** What the configuration has for provider and region; a text: why it has nothing. */
  auditData(runtime: Runtime): { readonly data: AuditData } | { readonly missing: string };
  /** The Shoot to create. @throws if the Runtime cannot be rendered */
  create(runtime: Runtime, audit: AuditData | undefined): Shoot;
  /** The fields of the existing Shoot that follow the Runtime. @throws as `create` */
  patch(runtime: Runtime, live: Shoot, audit: AuditData | undefined): Shoot;
  /** Issuers that the runtime trusts beside that of its API server. */
  openIdConnects(runtime: Runtime): readonly OpenIdConnectSpec[];
  /** Differs when the configuration differs. */
  revision(): number;
  /** The ConfigMap with the authentication configuration of the Shoot. */
  authenticationConfig(runtime: Runtime): ConfigMap;
}

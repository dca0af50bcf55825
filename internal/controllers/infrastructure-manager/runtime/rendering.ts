import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ConfigMap } from '../../../kube/index.ts';
import type { OpenIdConnectSpec } from './cluster/kinds.ts';

/** What the configuration has for audit logs of a region; the states only pass it on. */
export type AuditData = object;

/** A cache of an image registry, as a CustomConfig of the runtime asks for it. */
export interface RegistryCache {
  readonly upstream: string;
  readonly remoteURL?: string;
  readonly volume?: { readonly size?: string; readonly storageClassName?: string };
  readonly garbageCollection?: { readonly ttl: string };
  readonly secretReferenceName?: string;
  readonly proxy?: { readonly httpProxy?: string; readonly httpsProxy?: string };
}

/** Renders Shoots. The functions are pure and change none of their arguments. */
export interface ShootRendering {
  /** What the configuration has for provider and region; a text: why it has nothing. */
  auditData(runtime: Runtime): { readonly data: AuditData } | { readonly missing: string };
  /** The Shoot to create. @throws if the Runtime cannot be rendered */
  create(runtime: Runtime, audit: AuditData | undefined): Shoot;
  /**
   * The fields of the existing Shoot that follow the Runtime.
   *
   * @param registryCaches of the runtime; default: not known, so those of the Shoot stay
   * @throws as `create`
   */
  patch(
    runtime: Runtime,
    live: Shoot,
    audit: AuditData | undefined,
    registryCaches?: readonly RegistryCache[],
  ): Shoot;
  /** Issuers that the runtime trusts beside that of its API server. */
  openIdConnects(runtime: Runtime): readonly OpenIdConnectSpec[];
  /** Differs when the configuration differs. */
  revision(): number;
  /** The ConfigMap with the authentication configuration of the Shoot. */
  authenticationConfig(runtime: Runtime): ConfigMap;
}

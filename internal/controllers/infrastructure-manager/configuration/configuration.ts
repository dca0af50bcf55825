/** What administrators of the installation decide for all Runtimes. */

/** The file of `--converter-config-filepath`. */
export interface ConverterConfiguration {
  readonly converter: {
    readonly kubernetes: {
      /** Of Runtimes that ask for no version. */
      readonly defaultVersion: string;
      /** Whether Gardener may upgrade Kubernetes. */
      readonly enableKubernetesVersionAutoUpdate: boolean;
      /** Whether Gardener may upgrade the image of nodes. The word `Version` is there twice in the file too. */
      readonly enableMachineImageVersionVersionAutoUpdate: boolean;
      /** Of Runtimes that name no issuer. */
      readonly defaultOperatorOidc: OidcProvider;
    };
    /** The DNS provider of Shoots; all texts are empty if Gardener decides. */
    readonly dns: {
      readonly secretName: string;
      readonly domainPrefix: string;
      readonly providerType: string;
    };
    readonly provider: {
      /** Whether nodes on AWS serve metadata by IMDSv2 only. */
      readonly aws: { readonly enableIMDSv2: boolean };
    };
    /** Of worker pools that name no image, or no version of it. */
    readonly machineImage: { readonly defaultName: string; readonly defaultVersion: string };
    /** The project of Gardener, without `garden-`. */
    readonly gardener: { readonly projectName: string };
    readonly auditLogging: {
      /** ConfigMap of the project with the audit policy of Shoots. */
      readonly policyConfigMapName: string;
      /** File with the tenants of the audit log service. */
      readonly tenantConfigPath: string;
    };
    readonly maintenanceWindow: {
      /** File with the maintenance windows of regions; empty: Gardener decides. */
      readonly windowMapPath: string;
    };
  };
  readonly cluster: {
    /** Issuer of tokens for users of Runtimes that name none. */
    readonly defaultSharedIASTenant: OidcProvider;
  };
}

/** An issuer of OpenID Connect tokens, and what of a token is the user. */
export interface OidcProvider {
  readonly clientID: string;
  readonly groupsClaim: string;
  readonly issuerURL: string;
  readonly signingAlgs: readonly string[];
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
}

/** Where audit logs of a region go. */
export interface AuditTenant {
  readonly tenantID: string;
  readonly serviceURL: string;
  /** Secret of the project with the credentials. */
  readonly secretName: string;
}

/** Tenants by provider, then by region. */
export type AuditTenants = ReadonlyMap<string, ReadonlyMap<string, AuditTenant>>;

/** Daily, as Gardener writes it: `200000+0000`. */
export interface MaintenanceWindow {
  readonly begin: string;
  readonly end: string;
}

/** By region. */
export type MaintenanceWindows = ReadonlyMap<string, MaintenanceWindow>;

/** All of it. */
export interface Configuration extends ConverterConfiguration {
  readonly auditTenants: AuditTenants;
  readonly maintenanceWindows: MaintenanceWindows;
}

/** What administrators of the installation decide for all Runtimes. */

/** The file of `--converter-config-filepath`. */
export interface ConverterConfiguration {
  readonly converter: {
    readonly kubernetes: {
      /** Of Runtimes that ask for no version. */
      readonly defaultVersion: string;
      /** Whether Gardener may upgrade Kubernetes. */
      readonly enableKubernetesVersionAutoUpdate: boolean;
      /** Whether Gardener may upgrade the image of nodes. */
      readonly enableMachineImageVersionAutoUpdate: boolean;
      /** Of Runtimes that name no issuer. */
      readonly defaultOperatorOidc: OidcProvider;
      readonly kubeApiServer: {
        /** ConfigMap in the namespace of the Runtimes with the addresses that may always connect; empty: there is none. */
        readonly acl: { readonly configMapName: string };
        /** Of tokens of service accounts in new Shoots, in ms; undefined: the least. */
        readonly maxTokenExpiration: number | undefined;
        /** APIs that are on or off, by `group/version` or `group/version/resource`. */
        readonly runtimeConfig: Switches;
        readonly featureGates: Switches;
      };
      readonly kubelet: { readonly featureGates: Switches };
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
      readonly gdch: {
        /** Catalog of machines, images and versions; empty: `cat`. */
        readonly cloudProfileName: string;
        /** What networks of Shoots are a part of. Namespace and type may be empty. */
        readonly parentReferenceName: string;
        readonly parentReferenceNamespace: string;
        readonly parentReferenceType: string;
      };
      /** Of worker pools that do not say so. */
      readonly worker: {
        /** Attempts to evict a pod when a node is drained. */
        readonly defaultMaxEvictRetries: number;
        /** A duration as Go writes it. */
        readonly defaultMachineDrainTimeout: string;
      };
    };
    /** Of worker pools that name no image, or no version of it. */
    readonly machineImage: { readonly defaultName: string; readonly defaultVersion: string };
    /** The project of Gardener, without `garden-`. */
    readonly gardener: {
      readonly projectName: string;
      /** Whether bindings of Runtimes are CredentialsBindings; else they are SecretBindings. */
      readonly enableCredentialBinding: boolean;
    };
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
    /** Taints of seeds that new Shoots of a region tolerate, by region. */
    readonly tolerations: ReadonlyMap<string, readonly Toleration[]>;
    /** Whether new Shoots may have addresses of IPv4 and IPv6. */
    readonly networking: { readonly enableDualStackIP: boolean };
  };
  readonly cluster: {
    /** Issuer of tokens for users of Runtimes that name none. */
    readonly defaultSharedIASTenant: OidcProvider;
  };
}

/** What is on or off, by name. */
export type Switches = ReadonlyMap<string, boolean>;

export interface Toleration {
  readonly key: string;
  readonly value?: string;
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
  /** Members of the files that have a successor, one text each. */
  readonly warnings: readonly string[];
}

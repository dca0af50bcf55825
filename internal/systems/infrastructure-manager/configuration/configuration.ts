/** What administrators of the installation decide for all Runtimes, and how it is read from files. */
import {
  type ConfigurationNode,
  explainedBy,
  readAll,
  readConfigurationFile,
  readFields,
  readItems,
} from '../../../framework/base/configuration/configuration.ts';
import { formatDuration } from '../../../framework/base/index.ts';
import { deepFreeze } from '../../../framework/base/json/json-value.ts';

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

export interface ConfigurationSource {
  /** The file of the converter configuration, which names the others. */
  readonly path: string;
  /** The project of Gardener that clients use, without `garden-`. The file must name the same one. */
  readonly project: string;
}

const PAGE = 'docs/infrastructure-manager/shoot.md';

/**
 * Reads the converter configuration, the tenants of the audit log service, and the maintenance windows if there are any. Paths in the
 * configuration are relative to the working directory. Names of members may be in any case; those that are not known are mistakes.
 *
 * @throws ConfigurationError with all mistakes: file, line and column
 */
export const loadConfiguration = (source: ConfigurationSource): Promise<Configuration> =>
  explainedBy(PAGE, () => load(source));

async function load({ path, project }: ConfigurationSource): Promise<Configuration> {
  const configuration = await read(path, (root) => {
    const found = converterConfigurationOf(root);
    const { projectName } = found.converter.gardener;
    const node = root.member('converter').member('gardener').member('projectName');
    const projectMistake = projectName === project ? undefined : node;
    return { ...found, warnings: warningsOf(root), projectMistake };
  });
  const { auditLogging, maintenanceWindow, gardener } = configuration.converter;
  const checkProject = async () =>
    configuration.projectMistake?.fail(
      `it is ${gardener.projectName}, but --gardener-project-name is ${project}`,
    );
  const { windowMapPath } = maintenanceWindow;
  const [auditTenants, maintenanceWindows] = await readAll([
    read(auditLogging.tenantConfigPath, auditTenantsOf),
    windowMapPath === ''
      ? Promise.resolve<MaintenanceWindows>(new Map())
      : read(windowMapPath, maintenanceWindowsOf),
    checkProject(),
  ]);
  const { converter, cluster, warnings } = configuration;
  return deepFreeze({ converter, cluster, warnings, auditTenants, maintenanceWindows });
}

/** Reads one of the files. Go's decoder of JSON compares names of members without case. */
async function read<T>(path: string, convert: (root: ConfigurationNode) => T): Promise<T> {
  const root = await readConfigurationFile(path, { ignoresCase: true });
  // The members that are known are those that were read.
  return readFields({ value: () => convert(root), unknown: () => root.refuseUnknown() }).value;
}

/** Maintenance windows by region. @throws ConfigurationError with all mistakes */
export const maintenanceWindowsOf = (root: ConfigurationNode): MaintenanceWindows =>
  new Map(readItems(root.mapEntries(), ([region, node]) => [region, windowOf(node)]));

const windowOf = (node: ConfigurationNode): MaintenanceWindow =>
  readFields<MaintenanceWindow>({
    begin: () => timeOf(node.member('begin')),
    end: () => timeOf(node.member('end')),
  });

/** Hours, minutes, seconds and the difference to UTC, as Gardener reads it. */
const TIME = /^([01]\d|2[0-3])[0-5]\d[0-5]\d[+-]\d{4}$/;

function timeOf(node: ConfigurationNode): string {
  const text = node.requiredText();
  if (!TIME.test(text)) node.fail('want a time of the day such as 200000+0000');
  return text;
}

/** Tenants of the audit log service by provider and region. @throws ConfigurationError with all mistakes */
export const auditTenantsOf = (root: ConfigurationNode): AuditTenants =>
  new Map(readItems(root.mapEntries(), ([provider, regions]) => [provider, tenantsByRegion(regions)]));

const tenantsByRegion = (regions: ConfigurationNode): ReadonlyMap<string, AuditTenant> =>
  new Map(readItems(regions.mapEntries(), ([region, tenant]) => [region, auditTenantOf(tenant)]));

const auditTenantOf = (node: ConfigurationNode): AuditTenant => {
  const { readCredsSecretName: _, ...tenant } = readFields({
    tenantID: () => node.member('tenantID').requiredText(),
    serviceURL: () => urlIn(node.member('serviceURL')),
    secretName: () => node.member('secretName').requiredText(),
    // Of later versions, for the readers of audit logs.
    readCredsSecretName: () => node.member('readCredsSecretName').text(),
  });
  return tenant;
};

function urlIn(node: ConfigurationNode): string {
  const url = node.requiredText();
  if (URL.parse(url) === null) node.fail('want a URL');
  return url;
}

type Converter = ConverterConfiguration['converter'];

/** The converter configuration. @throws ConfigurationError with all mistakes */
export function converterConfigurationOf(root: ConfigurationNode): ConverterConfiguration {
  return readFields<ConverterConfiguration>({
    converter: () => converterOf(root.member('converter')),
    cluster: () => ({
      defaultSharedIASTenant: oidcProviderOf(root.member('cluster').member('defaultSharedIASTenant')),
    }),
  });
}

function converterOf(converter: ConfigurationNode): Converter {
  return readFields<Converter>({
    kubernetes: () => kubernetesOf(converter.member('kubernetes')),
    dns: () => dnsOf(converter.member('dns')),
    provider: () => providerOf(converter.member('provider')),
    machineImage: () => machineImageOf(converter.member('machineImage')),
    gardener: () => gardenerOf(converter.member('gardener')),
    auditLogging: () => auditLoggingOf(converter.member('auditLogging')),
    maintenanceWindow: () => ({
      windowMapPath: converter.member('maintenanceWindow').member('windowMapPath').text(),
    }),
    tolerations: () =>
      new Map(
        readItems(converter.member('tolerations').mapEntries(), ([region, list]) => [
          region,
          readItems(list.items(), tolerationOf),
        ]),
      ),
    networking: () => ({
      enableDualStackIP: converter.member('networking').member('enableDualStackIP').boolean(),
    }),
  });
}

function kubernetesOf(node: ConfigurationNode): Converter['kubernetes'] {
  const server = node.member('kubeApiServer');
  return readFields<Converter['kubernetes']>({
    defaultVersion: () => node.member('defaultVersion').requiredText(),
    enableKubernetesVersionAutoUpdate: () => node.member('enableKubernetesVersionAutoUpdate').boolean(),
    enableMachineImageVersionAutoUpdate: () => imageAutoUpdateOf(node).boolean(),
    defaultOperatorOidc: () => oidcProviderOf(node.member('defaultOperatorOidc')),
    kubeApiServer: () =>
      readFields<Converter['kubernetes']['kubeApiServer']>({
        acl: () => ({ configMapName: server.member('acl').member('configMapName').text() }),
        maxTokenExpiration: () => server.member('maxTokenExpiration').duration(),
        runtimeConfig: () => switchesOf(server.member('runtimeConfig')),
        featureGates: () => switchesOf(server.member('featureGates')),
      }),
    kubelet: () => ({ featureGates: switchesOf(node.member('kubelet').member('featureGates')) }),
  });
}

const dnsOf = (node: ConfigurationNode): Converter['dns'] =>
  readFields<Converter['dns']>({
    secretName: () => node.member('secretName').text(),
    domainPrefix: () => node.member('domainPrefix').text(),
    providerType: () => node.member('providerType').text(),
  });

const providerOf = (node: ConfigurationNode): Converter['provider'] =>
  readFields<Converter['provider']>({
    aws: () => ({ enableIMDSv2: node.member('aws').member('enableIMDSv2').boolean() }),
    gdch: () => gdchOf(node.member('gdch')),
    worker: () => workerOf(node.member('worker')),
  });

const gdchOf = (node: ConfigurationNode): Converter['provider']['gdch'] =>
  readFields<Converter['provider']['gdch']>({
    cloudProfileName: () => node.member('cloudProfileName').text(),
    parentReferenceName: () => node.member('parentReferenceName').text(),
    parentReferenceNamespace: () => node.member('parentReferenceNamespace').text(),
    parentReferenceType: () => node.member('parentReferenceType').text(),
  });

const workerOf = (node: ConfigurationNode): Converter['provider']['worker'] =>
  readFields<Converter['provider']['worker']>({
    defaultMaxEvictRetries: () => node.member('defaultMaxEvictRetries').integer(0, MAX_INT32) ?? 2,
    defaultMachineDrainTimeout: () =>
      formatDuration(node.member('defaultMachineDrainTimeout').duration() ?? DRAIN_TIMEOUT_MS),
  });

const machineImageOf = (node: ConfigurationNode): Converter['machineImage'] =>
  readFields<Converter['machineImage']>({
    defaultName: () => node.member('defaultName').requiredText(),
    defaultVersion: () => node.member('defaultVersion').requiredText(),
  });

const gardenerOf = (node: ConfigurationNode): Converter['gardener'] =>
  readFields<Converter['gardener']>({
    projectName: () => node.member('projectName').requiredText(),
    enableCredentialBinding: () => node.member('enableCredentialBinding').boolean(),
  });

const auditLoggingOf = (node: ConfigurationNode): Converter['auditLogging'] =>
  readFields<Converter['auditLogging']>({
    policyConfigMapName: () => node.member('policyConfigMapName').requiredText(),
    tenantConfigPath: () => node.member('tenantConfigPath').requiredText(),
  });

const oidcProviderOf = (node: ConfigurationNode): OidcProvider =>
  readFields<OidcProvider>({
    clientID: () => node.member('clientID').requiredText(),
    groupsClaim: () => node.member('groupsClaim').requiredText(),
    issuerURL: () => node.member('issuerURL').requiredText(),
    signingAlgs: () => node.member('signingAlgs').requiredTexts(),
    usernameClaim: () => node.member('usernameClaim').requiredText(),
    usernamePrefix: () => node.member('usernamePrefix').requiredText(),
  });

const MAX_INT32 = 2 ** 31 - 1;
const DRAIN_TIMEOUT_MS = 15 * 60_000;

const IMAGE_AUTO_UPDATE = 'enableMachineImageVersionAutoUpdate';
/** Its name before it was corrected. */
const OLD_IMAGE_AUTO_UPDATE = 'enableMachineImageVersionVersionAutoUpdate';

/** The old name counts where the new one is missing, so that an upgrade changes no Shoot. */
function imageAutoUpdateOf(kubernetes: ConfigurationNode): ConfigurationNode {
  const member = kubernetes.member(IMAGE_AUTO_UPDATE);
  return member.isAbsent ? kubernetes.member(OLD_IMAGE_AUTO_UPDATE) : member;
}

/** Members that have a successor, for the log. */
function warningsOf(root: ConfigurationNode): readonly string[] {
  const old = root.member('converter').member('kubernetes').member(OLD_IMAGE_AUTO_UPDATE);
  if (old.isAbsent) return [];
  return [`converter.kubernetes.${OLD_IMAGE_AUTO_UPDATE} is now called ${IMAGE_AUTO_UPDATE}: rename it`];
}

const switchesOf = (node: ConfigurationNode): Switches =>
  new Map(readItems(node.mapEntries(), ([name, value]) => [name, value.boolean()]));

function tolerationOf(node: ConfigurationNode): Toleration {
  const { key, value } = readFields({
    key: () => node.member('key').requiredText(),
    value: () => node.member('value').text(),
  });
  return { key, ...(value === '' ? {} : { value }) };
}

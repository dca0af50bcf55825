import {
  type ConfigurationNode,
  readFields,
  readItems,
} from '../../../framework/base/configuration/configuration.ts';
import { formatDuration } from '../../../framework/base/index.ts';

import type { ConverterConfiguration, OidcProvider, Switches, Toleration } from './configuration.ts';

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
export function warningsOf(root: ConfigurationNode): readonly string[] {
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

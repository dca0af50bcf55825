import type { ConfigurationNode } from '../../../base/configuration/configuration-node.ts';
import { readFields } from '../../../base/configuration/read-fields.ts';
import type { ConverterConfiguration, OidcProvider } from './configuration.ts';

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
    provider: () => ({
      aws: { enableIMDSv2: converter.member('provider').member('aws').member('enableIMDSv2').boolean() },
    }),
    machineImage: () => machineImageOf(converter.member('machineImage')),
    gardener: () => ({ projectName: converter.member('gardener').member('projectName').requiredText() }),
    auditLogging: () => auditLoggingOf(converter.member('auditLogging')),
    maintenanceWindow: () => ({
      windowMapPath: converter.member('maintenanceWindow').member('windowMapPath').text(),
    }),
  });
}

const kubernetesOf = (node: ConfigurationNode): Converter['kubernetes'] =>
  readFields<Converter['kubernetes']>({
    defaultVersion: () => node.member('defaultVersion').requiredText(),
    enableKubernetesVersionAutoUpdate: () => node.member('enableKubernetesVersionAutoUpdate').boolean(),
    enableMachineImageVersionVersionAutoUpdate: () =>
      node.member('enableMachineImageVersionVersionAutoUpdate').boolean(),
    defaultOperatorOidc: () => oidcProviderOf(node.member('defaultOperatorOidc')),
  });

const dnsOf = (node: ConfigurationNode): Converter['dns'] =>
  readFields<Converter['dns']>({
    secretName: () => node.member('secretName').text(),
    domainPrefix: () => node.member('domainPrefix').text(),
    providerType: () => node.member('providerType').text(),
  });

const machineImageOf = (node: ConfigurationNode): Converter['machineImage'] =>
  readFields<Converter['machineImage']>({
    defaultName: () => node.member('defaultName').requiredText(),
    defaultVersion: () => node.member('defaultVersion').requiredText(),
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

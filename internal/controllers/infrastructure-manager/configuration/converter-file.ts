import type { ConfigurationNode } from '../../../base/configuration/configuration-node.ts';
import type { ConverterConfiguration, OidcProvider } from './configuration.ts';

/** The converter configuration. @throws ConfigurationError */
export function converterConfigurationOf(root: ConfigurationNode): ConverterConfiguration {
  const converter = root.member('converter');
  const kubernetes = converter.member('kubernetes');
  const dns = converter.member('dns');
  const image = converter.member('machineImage');
  const audit = converter.member('auditLogging');
  return {
    converter: {
      kubernetes: {
        defaultVersion: kubernetes.member('defaultVersion').requiredText(),
        enableKubernetesVersionAutoUpdate: kubernetes.member('enableKubernetesVersionAutoUpdate').boolean(),
        enableMachineImageVersionVersionAutoUpdate: kubernetes
          .member('enableMachineImageVersionVersionAutoUpdate')
          .boolean(),
        defaultOperatorOidc: oidcProviderOf(kubernetes.member('defaultOperatorOidc')),
      },
      dns: {
        secretName: dns.member('secretName').text(),
        domainPrefix: dns.member('domainPrefix').text(),
        providerType: dns.member('providerType').text(),
      },
      provider: {
        aws: { enableIMDSv2: converter.member('provider').member('aws').member('enableIMDSv2').boolean() },
      },
      machineImage: {
        defaultName: image.member('defaultName').requiredText(),
        defaultVersion: image.member('defaultVersion').requiredText(),
      },
      gardener: { projectName: converter.member('gardener').member('projectName').requiredText() },
      auditLogging: {
        policyConfigMapName: audit.member('policyConfigMapName').requiredText(),
        tenantConfigPath: audit.member('tenantConfigPath').requiredText(),
      },
      maintenanceWindow: {
        windowMapPath: converter.member('maintenanceWindow').member('windowMapPath').text(),
      },
    },
    cluster: {
      defaultSharedIASTenant: oidcProviderOf(root.member('cluster').member('defaultSharedIASTenant')),
    },
  };
}

function oidcProviderOf(node: ConfigurationNode): OidcProvider {
  return {
    clientID: node.member('clientID').requiredText(),
    groupsClaim: node.member('groupsClaim').requiredText(),
    issuerURL: node.member('issuerURL').requiredText(),
    signingAlgs: node.member('signingAlgs').requiredTexts(),
    usernameClaim: node.member('usernameClaim').requiredText(),
    usernamePrefix: node.member('usernamePrefix').requiredText(),
  };
}

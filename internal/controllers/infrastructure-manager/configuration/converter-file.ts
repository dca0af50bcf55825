import type { ConfigurationNode } from '../../../base/configuration/configuration-node.ts';
import { formatDuration } from '../../../base/time/duration.ts';
import type { ConverterConfiguration, OidcProvider, Switches } from './configuration.ts';

/** The converter configuration. @throws ConfigurationError */
export function converterConfigurationOf(root: ConfigurationNode): ConverterConfiguration {
  const converter = root.member('converter');
  const kubernetes = converter.member('kubernetes');
  const dns = converter.member('dns');
  const image = converter.member('machineImage');
  const kubeApiServer = kubernetes.member('kubeApiServer');
  const provider = converter.member('provider');
  const [gdch, worker] = [provider.member('gdch'), provider.member('worker')];
  const audit = converter.member('auditLogging');
  return {
    converter: {
      kubernetes: {
        defaultVersion: kubernetes.member('defaultVersion').requiredText(),
        enableKubernetesVersionAutoUpdate: kubernetes.member('enableKubernetesVersionAutoUpdate').boolean(),
        enableMachineImageVersionAutoUpdate: imageAutoUpdateOf(kubernetes).boolean(),
        defaultOperatorOidc: oidcProviderOf(kubernetes.member('defaultOperatorOidc')),
        kubeApiServer: {
          acl: { configMapName: kubeApiServer.member('acl').member('configMapName').text() },
          maxTokenExpiration: kubeApiServer.member('maxTokenExpiration').duration(),
          runtimeConfig: switchesOf(kubeApiServer.member('runtimeConfig')),
          featureGates: switchesOf(kubeApiServer.member('featureGates')),
        },
        kubelet: { featureGates: switchesOf(kubernetes.member('kubelet').member('featureGates')) },
      },
      dns: {
        secretName: dns.member('secretName').text(),
        domainPrefix: dns.member('domainPrefix').text(),
        providerType: dns.member('providerType').text(),
      },
      provider: {
        aws: { enableIMDSv2: provider.member('aws').member('enableIMDSv2').boolean() },
        gdch: {
          cloudProfileName: gdch.member('cloudProfileName').text(),
          parentReferenceName: gdch.member('parentReferenceName').text(),
          parentReferenceNamespace: gdch.member('parentReferenceNamespace').text(),
          parentReferenceType: gdch.member('parentReferenceType').text(),
        },
        worker: {
          defaultMaxEvictRetries: worker.member('defaultMaxEvictRetries').integer(0, MAX_INT32) ?? 2,
          defaultMachineDrainTimeout: formatDuration(
            worker.member('defaultMachineDrainTimeout').duration() ?? DRAIN_TIMEOUT_MS,
          ),
        },
      },
      machineImage: {
        defaultName: image.member('defaultName').requiredText(),
        defaultVersion: image.member('defaultVersion').requiredText(),
      },
      gardener: {
        projectName: converter.member('gardener').member('projectName').requiredText(),
        enableCredentialBinding: converter.member('gardener').member('enableCredentialBinding').boolean(),
      },
      auditLogging: {
        policyConfigMapName: audit.member('policyConfigMapName').requiredText(),
        tenantConfigPath: audit.member('tenantConfigPath').requiredText(),
      },
      maintenanceWindow: {
        windowMapPath: converter.member('maintenanceWindow').member('windowMapPath').text(),
      },
      tolerations: new Map(
        converter
          .member('tolerations')
          .mapEntries()
          .map(([region, list]) => [region, list.items().map(tolerationOf)]),
      ),
      networking: { enableDualStackIP: converter.member('networking').member('enableDualStackIP').boolean() },
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
  new Map(node.mapEntries().map(([name, value]) => [name, value.boolean()]));

function tolerationOf(node: ConfigurationNode) {
  const value = node.member('value').text();
  return { key: node.member('key').requiredText(), ...(value === '' ? {} : { value }) };
}

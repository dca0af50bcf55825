import { seeds, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { configMaps, secrets } from '../../framework/kube/index.ts';
import { inNamespaces, type Purpose, type RequiredRight, rightsFor } from '../../framework/module/right.ts';
import { namespaceOf } from './gardener/gardener.ts';
import { auditLogs } from './runtime/audit-log-kind.ts';
import { clusterTrustBundles } from './runtime/bootstrapper/kinds.ts';
import type { InfrastructureManagerFlags } from './settings/flags.ts';

const resources: Purpose = { name: 'infrastructure-manager-resources', neededFor: 'Runtimes' };
const clusters: Purpose = {
  name: 'infrastructure-manager-clusters',
  neededFor: 'GardenerClusters',
};
const caches: Purpose = {
  name: 'infrastructure-manager-registry-caches',
  neededFor: 'caches of image registries',
};
const accessControl: Purpose = {
  name: 'infrastructure-manager-access-control',
  neededFor: 'who may connect to API servers',
};
const auditLogPurpose: Purpose = {
  name: 'infrastructure-manager-audit-logs',
  neededFor: 'audit logs of one runtime each',
};
const bootstrapper: Purpose = {
  name: 'infrastructure-manager-bootstrapper',
  neededFor: 'the runtime bootstrapper',
};
const trustBundles: Purpose = {
  name: 'infrastructure-manager-trust-bundle',
  neededFor: 'the certificates of the runtime bootstrapper',
};
const kubeconfigs: Purpose = {
  name: 'infrastructure-manager-kubeconfigs',
  neededFor: 'Secrets with the kubeconfigs of runtimes',
};

/** On the management cluster, in the namespace of the Runtimes. */
export const infrastructureManagerRights = ({
  runtimeNamespace,
  registryCacheConfigControllerEnabled,
  apiServerAclEnabled,
  dedicatedAuditLoggingEnabled,
  runtimeBootstrapperEnabled,
  runtimeBootstrapperKcpClusterTrustBundle,
}: Pick<
  InfrastructureManagerFlags,
  | 'runtimeNamespace'
  | 'registryCacheConfigControllerEnabled'
  | 'apiServerAclEnabled'
  | 'dedicatedAuditLoggingEnabled'
  | 'runtimeBootstrapperEnabled'
  | 'runtimeBootstrapperKcpClusterTrustBundle'
>): readonly RequiredRight[] => [
  ...inNamespaces(
    [
      ...rightsFor(resources, runtimes, ['get', 'list', 'watch', 'update']),
      ...rightsFor(resources, runtimes, ['update'], 'status'),
      ...(registryCacheConfigControllerEnabled ? rightsFor(caches, runtimes, ['patch']) : []),
      ...rightsFor(clusters, gardenerClusters, ['get', 'list', 'watch', 'create', 'update', 'delete']),
      ...rightsFor(clusters, gardenerClusters, ['update'], 'status'),
      ...(apiServerAclEnabled ? rightsFor(accessControl, configMaps, ['list', 'watch']) : []),
      ...(dedicatedAuditLoggingEnabled
        ? rightsFor(auditLogPurpose, auditLogs, ['list', 'watch', 'update'])
        : []),
      ...(runtimeBootstrapperEnabled ? rightsFor(bootstrapper, configMaps, ['get', 'list', 'watch']) : []),
      ...rightsFor(kubeconfigs, secrets, ['get', 'list', 'watch', 'create', 'update', 'delete']),
    ],
    [runtimeNamespace],
  ),
  ...(runtimeBootstrapperEnabled && runtimeBootstrapperKcpClusterTrustBundle !== ''
    ? rightsFor(trustBundles, clusterTrustBundles, ['get', 'list', 'watch'])
    : []),
];

const shootPurpose: Purpose = { name: 'gardener-shoots', neededFor: 'Shoots' };
const adminKubeconfigs: Purpose = {
  name: 'gardener-kubeconfigs',
  neededFor: 'kubeconfigs of runtimes',
};
const authentication: Purpose = {
  name: 'gardener-authentication',
  neededFor: 'the authentication of Shoots by ConfigMaps',
};
const cacheCredentials: Purpose = {
  name: 'gardener-registry-caches',
  neededFor: 'credentials of registry caches',
};
const seedPurpose: Purpose = {
  name: 'gardener-seeds',
  neededFor: 'Runtimes with enforceSeedLocation, and what runtimes know about their control plane',
};

/** Of the user of the kubeconfig of Gardener, there. */
export function gardenerRights({
  gardenerProjectName: project,
  registryCacheConfigControllerEnabled,
}: Pick<
  InfrastructureManagerFlags,
  'gardenerProjectName' | 'registryCacheConfigControllerEnabled'
>): readonly RequiredRight[] {
  const ofProject = [
    ...rightsFor(shootPurpose, shoots, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
    ...rightsFor(adminKubeconfigs, shoots, ['create'], 'adminkubeconfig'),
    ...rightsFor(authentication, configMaps, ['get', 'list', 'watch', 'create', 'update', 'delete']),
    ...(registryCacheConfigControllerEnabled
      ? rightsFor(cacheCredentials, secrets, ['list', 'create', 'patch', 'delete'])
      : []),
  ];
  return [
    ...inNamespaces(ofProject, [namespaceOf({ project })]),
    ...rightsFor(seedPurpose, seeds, ['get', 'list']),
  ];
}

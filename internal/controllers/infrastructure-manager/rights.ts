import { seeds, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { configMaps, secrets } from '../../kube/index.ts';
import { inNamespaces, type Purpose, type RequiredRight, rightsFor } from '../module/right.ts';
import { namespaceOf } from './gardener/gardener.ts';
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
const kubeconfigs: Purpose = {
  name: 'infrastructure-manager-kubeconfigs',
  neededFor: 'Secrets with the kubeconfigs of runtimes',
};

/** On the management cluster, in the namespace of the Runtimes. */
export const infrastructureManagerRights = ({
  runtimeNamespace,
  customConfigControllerEnabled,
}: Pick<
  InfrastructureManagerFlags,
  'runtimeNamespace' | 'customConfigControllerEnabled'
>): readonly RequiredRight[] =>
  inNamespaces(
    [
      ...rightsFor(resources, runtimes, ['get', 'list', 'watch', 'update']),
      ...rightsFor(resources, runtimes, ['update'], 'status'),
      ...(customConfigControllerEnabled ? rightsFor(caches, runtimes, ['patch']) : []),
      ...rightsFor(clusters, gardenerClusters, ['get', 'list', 'watch', 'create', 'update', 'delete']),
      ...rightsFor(clusters, gardenerClusters, ['update'], 'status'),
      ...rightsFor(kubeconfigs, secrets, ['get', 'list', 'watch', 'create', 'update', 'delete']),
    ],
    [runtimeNamespace],
  );

const shootPurpose: Purpose = { name: 'gardener-shoots', neededFor: 'Shoots' };
const adminKubeconfigs: Purpose = {
  name: 'gardener-kubeconfigs',
  neededFor: 'kubeconfigs of runtimes',
};
const authentication: Purpose = {
  name: 'gardener-authentication',
  neededFor: 'the authentication of Shoots by ConfigMaps',
};
const seedPurpose: Purpose = {
  name: 'gardener-seeds',
  neededFor: 'Runtimes with enforceSeedLocation',
  otherwise: 'these Runtimes fail',
};

/** Of the user of the kubeconfig of Gardener, there. */
export function gardenerRights({
  gardenerProjectName: project,
  structuredAuthEnabled,
}: Pick<
  InfrastructureManagerFlags,
  'gardenerProjectName' | 'structuredAuthEnabled'
>): readonly RequiredRight[] {
  const ofProject = [
    ...rightsFor(shootPurpose, shoots, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
    ...rightsFor(adminKubeconfigs, shoots, ['create'], 'adminkubeconfig'),
    ...(structuredAuthEnabled
      ? rightsFor(authentication, configMaps, ['get', 'list', 'watch', 'create', 'update', 'delete'])
      : []),
  ];
  return [...inNamespaces(ofProject, [namespaceOf({ project })]), ...rightsFor(seedPurpose, seeds, ['list'])];
}

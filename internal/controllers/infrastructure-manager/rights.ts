import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { inNamespaces, type Purpose, type RequiredRight, rightsFor } from '../module/right.ts';
import type { InfrastructureManagerFlags } from './settings/flags.ts';

const resources: Purpose = { name: 'infrastructure-manager-resources', neededFor: 'Runtimes' };
const clusters: Purpose = {
  name: 'infrastructure-manager-clusters',
  neededFor: 'deleting the GardenerCluster of a Runtime with it',
};

/** On the management cluster, in the namespace of the Runtimes. */
export const infrastructureManagerRights = ({
  runtimeNamespace,
}: Pick<InfrastructureManagerFlags, 'runtimeNamespace'>): readonly RequiredRight[] =>
  inNamespaces(
    [
      ...rightsFor(resources, runtimes, ['get', 'list', 'watch', 'update']),
      ...rightsFor(resources, runtimes, ['update'], 'status'),
      ...rightsFor(clusters, gardenerClusters, ['get', 'delete']),
    ],
    [runtimeNamespace],
  );

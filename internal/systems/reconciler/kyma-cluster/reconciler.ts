import { kymaClusterTypes } from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { type KubeClient, secrets } from '../../../framework/kube/index.ts';

import type {
  LoadedModule,
  ModuleContext,
  ModuleKind,
  OpenKind,
  OpenModule,
} from '../../../framework/module/module.ts';
import { type Purpose, rightsFor } from '../../../framework/module/right.ts';
import { createMothershipTokens } from '../client/oauth-tokens.ts';
import { diagnoseCluster } from './diagnose-cluster.ts';
import { kymaClusterKind } from './kyma-cluster.ts';
import { mothershipConfigKinds } from './provider-configs.ts';

const scopes = ['cluster', 'namespaced'] as const;

const kindOf = (scope: (typeof scopes)[number]): ModuleKind => ({
  type: kymaClusterTypes[scope],
  configs: mothershipConfigKinds[scope],
  readsConfig: true,
});

const secretsRead: Purpose = {
  name: 'kyma-cluster-secrets',
  neededFor: 'credentials of motherships and kubeconfigs of KymaClusters',
};
const connectionSecrets: Purpose = {
  name: 'kyma-cluster-connections',
  neededFor: 'connection Secrets of KymaClusters',
  otherwise: 'KymaClusters without writeConnectionSecretToRef work',
};

export const reconciler: LoadedModule = {
  configs: scopes.map((scope) => mothershipConfigKinds[scope]),
  kinds: scopes.map(kindOf),
  rights: () => [
    ...rightsFor(secretsRead, secrets, ['get', 'watch']),
    ...rightsFor(connectionSecrets, secrets, ['create', 'patch']),
  ],
  open: openReconciler,
};

function openReconciler(context: ModuleContext): OpenModule {
  const tokens = createMothershipTokens(context.deps);
  const kinds = scopes.map(
    (scope): OpenKind => ({
      ...kindOf(scope),
      with: (client: KubeClient, use) => use(kymaClusterKind({ ...context, client, scope, tokens })),
    }),
  );
  return {
    kinds,
    register: (provider) => {
      for (const { configs: configKinds, readsConfig, with: make } of kinds) {
        const configs = provider.addConfigs(configKinds);
        make(context.client, (kind) => provider.addKind(kind, { configs, readsConfig }));
      }
    },
    diagnose: (question) => diagnoseCluster({ ...context, tokens, ...question }),
    close: async () => tokens.clear(),
  };
}

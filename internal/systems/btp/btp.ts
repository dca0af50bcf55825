import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { Deps } from '../../framework/base/index.ts';

import { channel, type ReconciledKind } from '../../framework/controller/index.ts';
import { inNamespaces } from '../../framework/kube/cache/merged-informer.ts';
import { dropManagedFields } from '../../framework/kube/index.ts';
import { leases } from '../../framework/kube/object/resource-type.ts';
import type { Provider } from '../../framework/managed/index.ts';
import type { LoadedModule, ModuleContext, OpenModule } from '../../framework/module/module.ts';
import { clusterIDRecorder } from './cluster-id.ts';
import { createCredentialConnector, createSecretLocator } from './credentials/credential-connector.ts';
import { createCredentialResolver } from './credentials/credential-resolver.ts';
import { diagnoseBinding } from './diagnosis/diagnose-binding.ts';
import { diagnoseInstance } from './diagnosis/diagnose-instance.ts';
import { driftCheck } from './drift/drift-check.ts';
import type { DriftOptions, Tracking } from './drift/tracked-kind.ts';
import { bindingsOfInstances } from './operations/bindings-of-instances.ts';
import { createOwnResources } from './operations/own-resources.ts';
import type { ServiceKindOptions } from './operations/service-reconciler.ts';
import { createOperatorLease, operatorLeaseName } from './operator-lease/operator-lease.ts';
import { btpRights, rightsNamespaces } from './rights.ts';
import { createServiceManager, type ServiceManager } from './service-manager/index.ts';
import type { BindingOptions } from './servicebinding/binding-run.ts';
import { serviceBindingKind } from './servicebinding/kind.ts';
import { createFreeNames } from './servicebinding/secret/free-names.ts';
import { createSecretRenderer, type SecretRenderer } from './servicebinding/secret/secret-renderer.ts';
import { serviceInstanceKind } from './serviceinstance/kind.ts';
import { btpSettings, credentialSettings } from './settings/btp-settings.ts';
import type { BtpFlags } from './settings/flags.ts';
import { objectCounts } from './status/object-counts.ts';
import type { ServiceResource } from './status/service-resource.ts';
import { watchedSecretKind } from './watched-secrets/watched-secret-kind.ts';
import { createMarkCredentials } from './watched-secrets/watched-secrets.ts';
import { readOwnUser, serviceBindingWebhooks, serviceInstanceWebhooks } from './webhooks/webhooks.ts';

export const btp: LoadedModule<BtpFlags> = {
  configs: [],
  kinds: [],
  composed: [serviceInstances, serviceBindings],
  namespaces: rightsNamespaces,
  rights: btpRights,
  open: openBtp,
};

function openBtp(context: ModuleContext<BtpFlags>): OpenModule {
  const { deps, client, cluster, env, flags, limiter, readOnly, trustedCertificates, version } = context;
  const serviceManager = createServiceManager({
    ...deps,
    env,
    limiter,
    readOnly,
    clientVersion: flags.appVersion || version,
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    ...(trustedCertificates ? { trustedCertificates } : {}),
  });
  const secrets = createSecretRenderer(deps);
  return {
    kinds: [],
    register: (provider) => register(provider, { ...context, serviceManager, secrets }),
    diagnose: (question) => {
      const resolver = createCredentialResolver({
        reads: cluster.reads,
        settings: credentialSettings(flags),
      });
      const { objectWatcher } = cluster;
      const options = { client, objectWatcher, resolver, serviceManager, ...question };
      return question.kind === 'servicebinding' ? diagnoseBinding(options) : diagnoseInstance(options);
    },
    close: async () => {
      await Promise.all([serviceManager.close(), secrets.close()]);
    },
  };
}

interface RegisterContext extends ModuleContext<BtpFlags> {
  readonly serviceManager: ServiceManager;
  readonly secrets: SecretRenderer;
}

function register(provider: Provider, context: RegisterContext): void {
  const { deps, client, cluster, serviceManager } = context;
  const settings = btpSettings(context.flags, context.env);
  const informers =
    settings.namespaces === undefined
      ? cluster.informers
      : inNamespaces(cluster.informers, settings.namespaces);
  const { connect, connectOthers, confirm } = createCredentialConnector({
    ...deps,
    client,
    serviceManager,
    settings,
    workers: provider.settings.maxReconcileRate,
    locator: createSecretLocator(informers, settings),
    resolver: createCredentialResolver({ reads: cluster.reads, settings }),
    markCredentials: createMarkCredentials({ ...deps, client, settings }),
  });
  const options = {
    settings,
    objectWatcher: cluster.objectWatcher,
    externalTimeoutMs: provider.settings.externalTimeoutMs,
    backoff: settings.backoff,
    credentials: settings,
    instanceRequests: channel(),
    bindings: bindingsOfInstances(),
    trackings: new Set<Tracking>(),
    ownResources: createOwnResources(settings.clusterID),
    secrets: context.secrets,
    names: createFreeNames({ ...deps, client }),
    connect,
    connectOthers,
    confirm,
  } satisfies ServiceKindOptions & BindingOptions & DriftOptions;
  const lease = createOperatorLease({
    ...deps,
    client,
    releaseNamespace: settings.releaseNamespace,
    leases: informers.of(leases, { selection: { fieldSelector: `metadata.name=${operatorLeaseName}` } }),
  });
  for (const runnable of lease.runnables) provider.add(runnable);
  provider.add(clusterIDRecorder({ ...deps, client, settings }));
  provider.add(driftCheck({ ...deps, ...options, intervalMs: settings.driftIntervalMs }));
  const scope = {
    conditions: [lease.condition],
    ...(settings.namespaces === undefined ? {} : { namespaces: settings.namespaces }),
  };
  provider.addReconciled({ ...counted(serviceInstanceKind(options), deps), ...scope });
  provider.addReconciled({ ...watchedSecretKind(settings), ...scope });
  provider.addReconciled({ ...counted(serviceBindingKind(options), deps), ...scope });
  if (settings.webhooks) {
    const ownUser = readOwnUser(client, deps.log);
    const { parse: parseTemplate } = context.secrets;
    const ofBindings = serviceBindingWebhooks({ ownUser, parseTemplate });
    for (const webhook of [...serviceInstanceWebhooks, ...ofBindings]) provider.addWebhook(webhook);
  }
}

/** The kind with counts of its objects for metrics. */
const counted = <T extends ServiceResource, M>(
  kind: ReconciledKind<T, M>,
  deps: Pick<Deps, 'metrics'>,
): ReconciledKind<T, M> => ({
  ...kind,
  sources: (informers, cache, at) => [
    ...(kind.sources?.(informers, cache, at) ?? []),
    objectCounts(
      kind.type.kind,
      informers.of(kind.type, { transform: kind.transform ?? dropManagedFields }),
      deps,
    ),
  ],
});

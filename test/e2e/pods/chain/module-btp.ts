import { join } from 'node:path';
import { readDocuments } from '../../../../hack/xpkg/kubernetes-documents.ts';
import { configMaps, namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { tool } from '../../../environment/tool.ts';
import { until } from '../../e2e-context.ts';
import { source } from '../../steps/sources.ts';
import { applyManifests } from '../apply-manifests.ts';
import { podsContext } from '../pods-context.ts';
import { type PodsOptions, ROOT } from '../pods-options.ts';
import { type PodChanges, providerRuntimeConfig, trustManifest } from '../provider-manifests.ts';
import { ask } from './external-systems.ts';

const kubectl = (...args: string[]) => tool('kubectl', args);
const RELEASE = source.config.namespace;
const CRDS = 'package/btp/chart/files/crds';
const RIGHTS = 'examples/composition/hana-database/rbac.yaml';
const PLACE = '--namespace=crossplane-system';

/** The pod that runs the module btp, too. */
const WITH_MODULE: PodChanges = {
  args: ['--controllers=config,inventory,btp'],
  env: { CLUSTER_ID: source.clusterID, RELEASE_NAMESPACE: RELEASE },
};

/** The provider runs the module btp, with its CRDs, its webhooks, credentials, and the rights of the example. */
export async function startModule(options: PodsOptions): Promise<void> {
  const { management } = await podsContext(options);
  await management.objects.apply(configMaps, trustManifest(await authorities(options)));
  await management.objects.apply(namespaces, namespaceManifest(RELEASE));
  const { secret } = (await ask(options, 'sm', '/credentials/subaccount-1')) as Credentials;
  const credentials = { namespace: RELEASE, name: 'sap-btp-service-operator' };
  await management.objects.apply(secrets, secretManifest(credentials, secret));
  await management.objects.apply(
    configMaps,
    configMapManifest(source.config, { CLUSTER_ID: source.clusterID }),
  );
  await kubectl('apply', '--server-side', '--force-conflicts', '--filename', join(ROOT, CRDS));
  await kubectl('apply', '--server-side', '--filename', join(ROOT, RIGHTS));
  await restartWith(WITH_MODULE);
  await applyManifests(await webhooks());
}

/** The same with another number of pods. */
export const withReplicas = (replicas: number): Promise<void> => restartWith({ ...WITH_MODULE, replicas });

/** Changes the pods of the provider, and waits until all are as they should be. */
export async function restartWith(changes: PodChanges): Promise<void> {
  await applyManifests([await providerRuntimeConfig(changes)]);
  const { args = [], replicas = 1 } = changes;
  const deployment = `deployment/${await currentRevision()}`;
  await until(async () => {
    const path = '--output=jsonpath={.spec.replicas} {.spec.template.spec.containers[*].args}';
    const found = await kubectl('get', deployment, PLACE, path);
    const wanted = `${replicas} ${args.length === 0 ? '' : JSON.stringify(args)}`;
    if (found !== wanted) throw new Error(`${deployment} has ${found}, not ${wanted}`);
  });
  await kubectl('rollout', 'status', deployment, PLACE, '--timeout=5m');
}

/** The revision of the package, after which Crossplane names the Deployment. */
const currentRevision = (): Promise<string> =>
  kubectl('get', 'provider.pkg.crossplane.io/provider-kyma', '--output=jsonpath={.status.currentRevision}');

/** PEM of the authorities of the simulators. */
export async function authorities(options: PodsOptions): Promise<string> {
  const pems = await Promise.all(
    (['sm', 'hana-cloud'] as const).map(
      async (system) => (await ask(options, system, '/ca')) as { pem: string },
    ),
  );
  return pems.map(({ pem }) => pem).join('\n');
}

/** A Secret with credentials of Service Manager. */
export interface Credentials {
  readonly secret: Readonly<Record<string, string>>;
}

/** Those of the module, for the Service that Crossplane makes for the provider, with Crossplane's own authority. */
async function webhooks(): Promise<unknown[]> {
  const path = '--output=jsonpath={.data.ca\\.crt}';
  const caBundle = (await kubectl('get', 'secret', 'provider-kyma-tls-server', PLACE, path)).trim();
  const documents = await readDocuments(ROOT, 'package/btp/webhooks.yaml');
  return documents.map(({ content }) => {
    const configuration = content as WebhookConfiguration;
    return {
      ...configuration,
      webhooks: configuration.webhooks.map((webhook) => ({
        ...webhook,
        clientConfig: {
          caBundle,
          service: {
            ...webhook.clientConfig.service,
            namespace: 'crossplane-system',
            name: 'provider-kyma',
            port: 9443,
          },
        },
      })),
    };
  });
}

interface WebhookConfiguration {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: object } }[];
}

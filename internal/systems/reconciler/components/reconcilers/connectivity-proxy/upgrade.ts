import { isObject, ProviderError, textAt } from '../../../../../framework/base/index.ts';
import { kubernetesYaml } from '../../../../../framework/base/text/kubernetes-yaml.ts';
import { configMaps } from '../../../../../framework/kube/index.ts';
import { parseYamlText } from '../../charts/rendering/manifest-objects.ts';
import { mergedValues } from '../../charts/rendering/values.ts';
import type { ActionContext, Manifest, ManifestObject } from '../../model/component.ts';
import { ANNOTATION_PRUNE } from '../../objects/removal/prune.ts';
import { findObject } from '../objects.ts';
import { CONFIGURATION } from './own-objects.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal'>;
type ComponentContext = Context & Pick<ActionContext, 'task'>;

/** On objects of the chart that are created once, and then belong to the operator of the proxy. */
const ONCE = 'reconciler.kyma-project.io/skip-rendering-on-upgrade';

/**
 * The manifest without annotated objects that exist. Those that are left are marked, so that they are not deleted when they
 * are left out for the first time.
 */
export async function withoutExisting(context: ComponentContext, manifest: Manifest): Promise<Manifest> {
  const kept: ManifestObject[] = [];
  for (const entry of manifest) {
    const { annotations = {} } = entry.object.metadata;
    if (!Object.hasOwn(annotations, ONCE)) kept.push(entry);
    else if (!(await exists(context, entry))) kept.push(marked(entry));
  }
  return kept;
}

function marked({ object, source }: ManifestObject): ManifestObject {
  const annotations = { ...object.metadata.annotations, [ANNOTATION_PRUNE]: 'disabled' };
  return { object: { ...object, metadata: { ...object.metadata, annotations } }, source };
}

async function exists(context: ComponentContext, { object }: ManifestObject): Promise<boolean> {
  const { cluster, signal, task } = context;
  const type = await cluster.kinds.find(object.apiVersion, object.kind, { signal });
  if (type === undefined) return false;
  // As `prepareManifest` places it.
  const { name, namespace = task.namespace || 'default' } = object.metadata;
  return (await findObject(context, type, type.namespaced ? { name, namespace } : { name })) !== undefined;
}

const CONFIGURATION_FILE = 'connectivity-proxy-config.yml';
const RESTART_LABEL = 'connectivityproxy.sap.com/restart';
const PROXY = 'connectivity-proxy.kyma-system';
const TUNNEL = ['servers', 'businessDataTunnel', 'externalHost'];

/**
 * Sets the host of the tunnel in the configuration that an upgrade to 2.9.2 leaves as it is, and marks the ConfigMap, so that
 * the proxy is started again.
 */
export async function setTunnelHost(context: Context, host: string): Promise<void> {
  const live = await findObject(context, configMaps, CONFIGURATION);
  if (live === undefined) return;
  const text = live.data?.[CONFIGURATION_FILE];
  const configuration = text === undefined ? undefined : parseYamlText(text, CONFIGURATION_FILE);
  const current = textAt(configuration, ...TUNNEL);
  if (!isObject(configuration) || current === undefined) {
    throw new ProviderError('terminal', `ConfigMap ${CONFIGURATION.name} has no host of a tunnel`);
  }
  if (current === host && live.metadata.labels?.[RESTART_LABEL] === PROXY) return;
  const { resourceVersion } = live.metadata;
  const patch = {
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: { [RESTART_LABEL]: PROXY },
    },
    data: { [CONFIGURATION_FILE]: withTunnelHost(configuration, host) },
  };
  await context.cluster.client.mergePatch(configMaps, CONFIGURATION, patch, { signal: context.signal });
}

function withTunnelHost(configuration: Readonly<Record<string, unknown>>, host: string): string {
  const over = { servers: { businessDataTunnel: { externalHost: host } } };
  return kubernetesYaml(mergedValues(configuration, over));
}

import { readDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import type { ConfigMap } from '../../../internal/framework/kube/object/object.ts';
import { configMapManifest } from '../../environment/manifests.ts';
import { ROOT } from './pods-options.ts';

/** The ConfigMap with the simulators' CAs, and where the pod has it. */
const trust = {
  name: { namespace: 'crossplane-system', name: 'simulators-ca' },
  folder: '/trust',
  file: 'ca.pem',
};

/** @param pem of the simulators' CAs */
export const trustManifest = (pem: string): ConfigMap => configMapManifest(trust.name, { [trust.file]: pem });

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface PodTemplate {
  readonly selector: object;
  readonly template: { readonly spec: { readonly containers: readonly [object] } };
}

export interface PodChanges {
  /** Flags of `start`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

/** The pod of the example, with a root file system that is read-only, a simulator that is trusted, and drift that is observed soon. */
function podTemplate(
  { selector, template: { spec } }: PodTemplate,
  { args, env = {}, replicas }: PodChanges,
): object {
  const container = {
    ...spec.containers[0],
    ...(args === undefined ? {} : { args }),
    env: [
      { name: 'NODE_EXTRA_CA_CERTS', value: `${trust.folder}/${trust.file}` },
      { name: 'ALLOW_PRIVATE_ENDPOINTS', value: 'true' },
      { name: 'PROVIDER_KYMA_POLL', value: '5s' },
      ...Object.entries(env).map(([name, value]) => ({ name, value })),
    ],
    securityContext: {
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [{ name: 'trust', mountPath: trust.folder, readOnly: true }],
  };
  const volumes = [{ name: 'trust', configMap: { name: trust.name.name } }];
  return {
    ...(replicas === undefined ? {} : { replicas }),
    selector,
    template: { spec: { ...spec, containers: [container], volumes } },
  };
}

/**
 * What a user applies, examples/provider, with the reference of this test's package, and with the pod changed as above.
 * Without the activation policy, which Crossplane 1 does not know: where Crossplane 2 is installed by its chart, all kinds
 * are active.
 */
export async function providerManifests(
  reference: string,
  changes: PodChanges = {},
): Promise<KubernetesObject[]> {
  const documents = await readDocuments(ROOT, 'examples/provider/!(activation).yaml');
  return documents.map(({ content }) => {
    const object = content as KubernetesObject;
    switch (object.kind) {
      case 'Provider':
        return { ...object, spec: { ...object.spec, package: reference } };
      case 'DeploymentRuntimeConfig':
        return { ...object, spec: { ...object.spec, deploymentTemplate: { spec: podOf(object, changes) } } };
      default:
        return object;
    }
  });
}

/** The runtime config alone, with other flags and variables of the pod. */
export async function providerRuntimeConfig(changes: PodChanges): Promise<KubernetesObject> {
  const found = (await providerManifests('', changes)).find(({ kind }) => kind === 'DeploymentRuntimeConfig');
  if (found === undefined) throw new Error('examples/provider has no DeploymentRuntimeConfig');
  return found;
}

function podOf({ spec }: KubernetesObject, changes: PodChanges): object {
  const { deploymentTemplate } = spec as { readonly deploymentTemplate: { readonly spec: PodTemplate } };
  return podTemplate(deploymentTemplate.spec, changes);
}

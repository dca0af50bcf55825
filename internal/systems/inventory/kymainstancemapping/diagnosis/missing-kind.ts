import { messageOf } from '../../../../framework/base/errors/errors.ts';
import type { KubeClient } from '../../../../framework/kube/client/client.ts';
import { isNotFound } from '../../../../framework/kube/errors/errors.ts';
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import { groupResource, type ResourceType } from '../../../../framework/kube/object/resource-type.ts';

/** Crossplane 2 creates one for each CRD of a provider package, and the CRD once the kind is activated. */
const managedResourceDefinitions: ResourceType<ManagedResourceDefinition> = {
  group: 'apiextensions.crossplane.io',
  version: 'v1alpha1',
  kind: 'ManagedResourceDefinition',
  plural: 'managedresourcedefinitions',
  namespaced: false,
};

interface ManagedResourceDefinition extends KubeObject {
  readonly spec?: { readonly state?: unknown };
}

/** Why the API server does not serve a kind of the package, and a command that fixes it. */
export async function explainMissingKind(
  client: KubeClient,
  type: ResourceType,
  signal: AbortSignal,
): Promise<{ readonly detail: string; readonly remediation: string }> {
  const name = groupResource(type);
  const notInstalled = `the kind is not installed: there is no CRD ${name}`;
  const install = 'kubectl apply --server-side -f package/crds/';
  try {
    const key = { name };
    const { spec } = await client.get(managedResourceDefinitions, key, { signal });
    if (spec?.state !== 'Active') {
      return {
        detail: `the kind is inactive in Crossplane: no ManagedResourceActivationPolicy activates ${name}, and without an active kind the provider's pod may not run`,
        remediation: 'kubectl apply -f examples/provider/activation.yaml',
      };
    }
    return {
      detail: `the kind is active in Crossplane, and there is no CRD ${name} yet`,
      remediation: `kubectl describe ${groupResource(managedResourceDefinitions)} ${name}`,
    };
  } catch (error) {
    if (isNotFound(error)) return { detail: notInstalled, remediation: install };
    return { detail: `${notInstalled}; whether it is inactive: ${messageOf(error)}`, remediation: install };
  }
}

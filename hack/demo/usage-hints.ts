import { kymaInstanceMappings } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { groupResource } from '../../internal/kube/object/resource-type.ts';
import { warehouseKey } from './environment/databases.ts';
import type { DemoEnvironment } from './environment/environment.ts';
import { doctorArguments } from './provider/doctor.ts';
import type { ProviderCommand } from './provider/provider-command.ts';

/** What a user may do while the demo stays: where the clusters are, and commands to copy. */
export function usageHints(
  { planes, provider, caFile, simulator }: DemoEnvironment,
  command: ProviderCommand,
): string {
  const { management, kyma } = planes;
  const kubectl = `kubectl --kubeconfig ${management.kubeconfigPath}`;
  const doctor = [command.typed, ...doctorArguments('warehouse', management.kubeconfigPath)].join(' ');
  const { namespace, name } = warehouseKey;
  // With the group: the namespaced twin has the same name.
  const kinds = groupResource(kymaInstanceMappings);
  return `The environment keeps running. Commands to inspect it:

export KUBECONFIG=${management.kubeconfigPath}   # management
export KUBECONFIG=${kyma.kubeconfigPath}   # kyma

${kubectl} get ${kinds}
${kubectl} describe ${kinds} warehouse
${kubectl} explain kymainstancemapping.spec.forProvider

Take a source away, and ask doctor what is missing:
kubectl --kubeconfig ${kyma.kubeconfigPath} -n ${namespace} delete serviceinstance ${name}
NODE_EXTRA_CA_CERTS=${caFile} ${doctor}

HANA Cloud, metrics, log:
curl --cacert ${caFile} ${simulator.apiUrl}/_simulator/state
curl ${provider.url}/metrics
tail -f ${provider.logFile}

Ctrl-C ends everything and removes what it stored.`;
}

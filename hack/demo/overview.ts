import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { groupResource } from '../../internal/framework/kube/object/resource-type.ts';
import { table } from '../../internal/framework/module/console/shown.ts';
import { type Context, doctorArguments } from './context.ts';
import type { DemoEnvironment } from './environment/environment.ts';
import { warehouse } from './environment/objects.ts';

const HEADER = ['MAPPING', 'CLUSTER ID', 'NAMESPACE', 'READY', 'SYNCED', 'SECONDS'];

/** The mappings as the API has them now, and the time of each from complete sources to Ready. */
export async function overviewOf({ management, readyAfter }: Context): Promise<string> {
  const found = await management.list(kymaInstanceMappings);
  const rows = found.map((mapping) => rowOf(mapping, readyAfter.get(mapping.metadata.name)));
  return `${table(HEADER, rows)}\nSECONDS: until Ready, from when all that the mapping needs was there`;
}

/** The row of a mapping; `-` for what is not known. */
function rowOf({ metadata, status }: KymaInstanceMapping, seconds: number | undefined): string[] {
  const id = status?.atProvider?.hana?.mappingId;
  const condition = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted)?.status;
  const cells = [metadata.name, id?.primaryID, id?.secondaryID, condition('Ready'), condition('Synced')];
  return [...cells, seconds?.toFixed(1)].map((cell) => cell ?? '-');
}

/** What a user may do while the demo stays: where the clusters are, and commands to copy. */
export function usageHints({
  planes,
  provider,
  reconciler,
  caFile,
  simulator,
  serviceManager,
}: DemoEnvironment): string {
  const { management, kyma } = planes;
  const kubectl = `kubectl --kubeconfig ${management.kubeconfigPath}`;
  const doctor = ['bin/provider-kyma', ...doctorArguments('warehouse', management.kubeconfigPath)].join(' ');
  // With the group: the namespaced twin has the same name.
  const kinds = groupResource(kymaInstanceMappings);
  return `The environment keeps running. Commands to inspect it:

export KUBECONFIG=${management.kubeconfigPath}   # management
export KUBECONFIG=${kyma.kubeconfigPath}   # kyma

${kubectl} get ${kinds}
${kubectl} describe ${kinds} warehouse
${kubectl} explain kymainstancemapping.spec.forProvider

Take a source away, and ask doctor what is missing:
kubectl --kubeconfig ${kyma.kubeconfigPath} -n ${warehouse.namespace} delete serviceinstance ${warehouse.name}
NODE_EXTRA_CA_CERTS=${caFile} ${doctor}

The page for operators of the Kyma reconciler, and its API:
${reconciler.url}
curl ${reconciler.url}/v1/overview

HANA Cloud, Service Manager, metrics, log:
curl --cacert ${caFile} ${simulator.apiUrl}/_simulator/state
curl --cacert ${caFile} ${serviceManager.url}/_simulator/state
curl ${provider.url}/metrics
tail -f ${provider.logFile}

Ctrl-C ends everything and removes what it stored.`;
}

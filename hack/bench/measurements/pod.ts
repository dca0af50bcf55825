import { join } from 'node:path';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { apiVersionOf, groupResource } from '../../../internal/framework/kube/object/resource-type.ts';
import { nodeCluster } from '../../../test/e2e/clusters/node.ts';
import { DEFAULT_CROSSPLANE } from '../../../test/e2e/clusters/test-cluster.ts';
import { applyManifests } from '../../../test/e2e/pods/apply-manifests.ts';
import { clusterSteps, toolSteps } from '../../../test/e2e/pods/cluster-steps.ts';
import { leader, workingSet } from '../../../test/e2e/pods/faults/provider-pods.ts';
import { podsContext } from '../../../test/e2e/pods/pods-context.ts';
import type { PodsOptions } from '../../../test/e2e/pods/pods-options.ts';
import { prepareKyma, putSources, source } from '../../../test/e2e/steps/sources.ts';
import { tool } from '../../../test/environment/tool.ts';
import { findMachine } from '../../node/requirements.ts';
import { range } from '../measure/in-parallel.ts';
import type { Measurement, MeasurementContext } from '../measurement.ts';
import { type Figure, figure } from '../report/figures.ts';

const MAPPINGS = 100;
/** The kubelet reads cgroups every ten seconds. */
const SETTLED_MS = 30_000;
const MIB = 2 ** 20;

export const pod: Measurement = {
  name: 'pod',
  title: 'Memory of its pod, as its cgroup counts it',
  method:
    'A node of `hack/node` with Crossplane, which installs the package as [examples/provider](../examples/provider) says. The kubelet reads the ' +
    'working set from the cgroup of the container, which its limit is compared with: memory of the process, without pages of files that the ' +
    'kernel can drop. Mappings are polled every 5 s.',
  run: async (context) => {
    const machine = await findMachine();
    if ('missing' in machine) return { figures: [], notes: [`not measured: ${machine.missing}`] };
    const { PATH, KUBECONFIG } = process.env;
    const report = (line: string) => context.print(line);
    const cluster = nodeCluster({ report });
    const directory = join(context.directory, 'pod');
    const options = {
      cluster,
      crossplane: DEFAULT_CROSSPLANE,
      directory,
      leaveOut: report,
      report,
    };
    try {
      return { figures: await measure(options, context) };
    } finally {
      await cluster.stop();
      process.env.PATH = PATH;
      if (KUBECONFIG === undefined) delete process.env.KUBECONFIG;
      else process.env.KUBECONFIG = KUBECONFIG;
    }
  },
};

async function measure(
  options: PodsOptions,
  { clock, signal, print }: MeasurementContext,
): Promise<Figure[]> {
  for (const { title, run } of [...toolSteps, ...clusterSteps]) {
    print(title);
    await run(options);
  }
  const memory = async () => {
    await sleep(clock, SETTLED_MS, signal);
    return (await workingSet((await leader()).pod)) / MIB;
  };
  const idle = await memory();
  const environment = await podsContext(options);
  await prepareKyma(environment);
  await putSources(environment);
  await applyManifests(range(MAPPINGS).map(mapping));
  const all = [groupResource(kymaInstanceMappings), '--all', '--timeout=5m'];
  await tool('kubectl', ['wait', ...all, '--for=condition=Ready']);
  const settled = await memory();
  await tool('kubectl', ['delete', ...all]);
  return [
    figure('working set when idle', 'MiB', idle),
    figure(`working set with ${MAPPINGS} settled mappings`, 'MiB', settled),
  ];
}

const mapping = (i: number): object => ({
  apiVersion: apiVersionOf(kymaInstanceMappings),
  kind: kymaInstanceMappings.kind,
  metadata: { name: `pod-${i}` },
  spec: {
    forProvider: {
      serviceInstanceRef: { namespace: source.namespace, name: source.instance },
      adminBindingRef: { namespace: source.namespace, name: source.binding },
      targetNamespace: `pod-${i}`,
    },
  },
});

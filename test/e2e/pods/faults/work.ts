import { kymaInstanceMappings } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { apiVersionOf, groupResource } from '../../../../internal/framework/kube/object/resource-type.ts';
import { until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { applyManifests } from '../apply-manifests.ts';
import {
  type ExternalState,
  externalState,
  holdContracts,
  setLatency,
  untilState,
} from '../chain/external-systems.ts';
import { TEAM } from '../chain/team.ts';
import type { PodsOptions } from '../pods-options.ts';
import { kubectl } from './provider-pods.ts';

/** ServiceInstances, and as many mappings of the database of the chain. */
const SIZE = 20;
/** In ms: the fault finds requests in flight. */
const LATENCY_MS = 1000;
const LABEL = 'e2e.example.org/work';

/**
 * Causes a fault while objects are created, and waits until all of them are Ready: nothing that was there is lost, nothing is
 * created twice, and all of it can be deleted again.
 *
 * @param name of the objects
 */
export async function inTheMiddleOfWork(
  options: PodsOptions,
  name: string,
  fault: () => Promise<void>,
): Promise<void> {
  const before = await externalState(options);
  await setLatency(options, LATENCY_MS);
  await applyManifests(objectsOf(name));
  await until(async () => {
    const { creates } = await externalState(options);
    hold(creates > before.creates, 'nothing is created');
  }, 100);
  const { creates } = await externalState(options);
  options.report(`${name}: ${creates - before.creates} of ${2 * SIZE} creates before the fault`);
  await fault();
  await setLatency(options, 0);
  for (const [type, place] of types) {
    const selection = [`--selector=${LABEL}=${name}`, ...place];
    await kubectl('wait', type, ...selection, '--for=condition=Ready', '--timeout=5m');
  }
  holdAdded(before, await externalState(options), name);
  await holdContracts(options);
  for (const [type, place] of types) {
    await kubectl('delete', type, `--selector=${LABEL}=${name}`, ...place, '--timeout=5m');
  }
  await untilState(options, before);
}

/** @throws unless all that was there is there, and each object of the work once */
function holdAdded(before: ExternalState, now: ExternalState, name: string): void {
  for (const kind of ['instances', 'bindings', 'mappings'] as const) {
    const lost = before[kind].filter((each) => !now[kind].includes(each));
    hold(lost.length === 0, `lost ${kind}: ${lost.join(', ')}`);
    const added = now[kind].filter((each) => !before[kind].includes(each));
    const wanted = kind === 'bindings' ? 0 : SIZE;
    const foreign = added.filter((each) => !each.includes(name));
    hold(added.length === wanted && foreign.length === 0, `new ${kind}: ${added.join(', ')}`);
  }
  // Fewer where a create took effect and the client was gone before the response.
  const creates = now.creates - before.creates;
  hold(creates <= 2 * SIZE, `${creates} creates for ${2 * SIZE} objects`);
}

const types = [
  ['serviceinstances.services.cloud.sap.com', [`--namespace=${TEAM}`]],
  [groupResource(kymaInstanceMappings), []],
] as const;

function objectsOf(work: string): object[] {
  return Array.from({ length: SIZE }, (_, i) => `${work}-${String(i).padStart(2, '0')}`).flatMap((name) => [
    {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceInstance',
      metadata: { name, namespace: TEAM, labels: { [LABEL]: work } },
      spec: { serviceOfferingName: 'hana-cloud', servicePlanName: 'admin-api-access' },
    },
    {
      apiVersion: apiVersionOf(kymaInstanceMappings),
      kind: kymaInstanceMappings.kind,
      metadata: { name, labels: { [LABEL]: work } },
      spec: {
        forProvider: {
          serviceInstanceRef: { namespace: TEAM, name: 'orders' },
          adminBindingRef: { namespace: TEAM, name: 'orders-admin' },
          targetNamespace: name,
        },
      },
    },
  ]);
}

/**
 * From a Runtime to a mapped namespace: Gardener makes the cluster, and the mapping connects through the kubeconfig that the
 * Runtime gets. Nothing between the two is made by hand.
 */

import { type Runtime, runtimes } from '../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  kymaInstanceMapping,
  kymaInstanceMappings,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { namespaces, secrets } from '../../internal/framework/kube/object/resource-type.ts';
import { pool, runtimeOf, zonesOf } from '../../test/contract/gardener/rendering/choices.ts';
import { namespaceManifest } from '../../test/environment/manifests.ts';
import type { Context } from './context.ts';
import { clusterID, orders } from './environment/objects.ts';
import type { Step } from './step.ts';

const name = 'storefront';
const runtime: Runtime = runtimeOf('aws', name, [pool('aws', zonesOf('aws').slice(0, 1))]);
const { namespace } = runtime.metadata;
const kubeconfig = { namespace, name: `kubeconfig-${name}` };

/** Of the database that is on the cluster already, for a namespace of its own. */
const mapping = kymaInstanceMapping({
  name,
  spec: {
    forProvider: {
      kymaConnectionRef: { secretRef: kubeconfig, kubeconfigKey: 'config' },
      serviceInstanceRef: { namespace: orders.namespace, name: orders.name },
      adminBindingRef: { namespace: orders.namespace, name: orders.binding },
      targetNamespace: name,
    },
  },
});

const stateOf = async ({ management }: Context) =>
  (await management.find(runtimes, { namespace, name }))?.status?.state ?? 'none';
const shootsOf = ({ gardener }: Context) => gardener.shoots().join(', ');

export const runtimeSteps: readonly Step[] = [
  {
    title: 'A mapping waits for the kubeconfig of a cluster that does not exist',
    run: async (context) => {
      const { management, until } = context;
      await management.apply(namespaces, namespaceManifest(namespace));
      await management.apply(kymaInstanceMappings, mapping);
      await until('the message of Synced', () => context.message(name), [kubeconfig.name, 'not found']);
    },
  },
  {
    title:
      'Its Runtime is created: Gardener makes the cluster, the Secret gets its kubeconfig, the namespace is mapped',
    run: async (context) => {
      const { management, until, now } = context;
      await management.apply(runtimes, runtime);
      await until('the state of the Runtime', () => stateOf(context), 'Ready');
      await now('the Shoots in Gardener', () => shootsOf(context), name);
      context.readyAfter.set(name, await context.untilHealthy(name));
      await context.stored(orders, `${clusterID}/shop, ${clusterID}/${name}`);
    },
  },
  {
    title: 'Deleted in the reverse order, nothing is left in HANA Cloud and Gardener',
    run: async (context) => {
      const { management, until, now, deleteAndWait, presence } = context;
      await deleteAndWait(management, kymaInstanceMappings, { name });
      await context.stored(orders, `${clusterID}/shop`);
      await management.delete(runtimes, { namespace, name });
      await until('the state of the Runtime', () => stateOf(context), 'none');
      await now('the Shoots in Gardener', () => shootsOf(context), '');
      await until('the Secret with the kubeconfig', () => presence(management, secrets, kubeconfig), 'gone');
    },
  },
];

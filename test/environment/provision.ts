import {
  serviceBindings,
  serviceInstances,
} from '../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { type Name, provisioned, serviceBindingManifest, serviceInstanceManifest } from './manifests.ts';
import type { Objects } from './objects.ts';

type Target = Pick<Objects, 'apply' | 'applyStatus'>;

/** A database, as the SAP BTP service operator leaves its ServiceInstance once it is there. */
export async function provisionInstance(kyma: Target, name: Name, instanceID: string): Promise<void> {
  const manifest = serviceInstanceManifest(name, { spec: { servicePlanName: 'hana' } });
  await kyma.apply(serviceInstances, manifest);
  const status = { ...provisioned, instanceID };
  await kyma.applyStatus(serviceInstances, serviceInstanceManifest(name, { status }));
}

/** The ServiceBinding of a Secret with its own name, as the operator leaves it; the caller creates the Secret. */
export async function provisionBinding(kyma: Target, name: Name): Promise<void> {
  const manifest = serviceBindingManifest(name, { spec: { secretName: name.name } });
  await kyma.apply(serviceBindings, manifest);
  await kyma.applyStatus(serviceBindings, serviceBindingManifest(name, { status: provisioned }));
}

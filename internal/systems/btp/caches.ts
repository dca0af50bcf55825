/** What the module keeps in memory of objects whose authors may make them as large as etcd accepts. */
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type Informer, type Informers, keepMarks, keepSmallParts } from '../../framework/kube/index.ts';
import { prefix } from './metadata.ts';

/** The metadata of a Secret without labels and annotations of others. */
export const ownMarks = keepMarks(prefix);

/** A large ServiceInstance or ServiceBinding without its large parts. Reconciles read it from the API server. */
export const smallParts = keepSmallParts(prefix);

export const instancesOf = (informers: Informers): Informer<ServiceInstance> =>
  informers.of(serviceInstances, { transform: smallParts });

export const bindingsOf = (informers: Informers): Informer<ServiceBinding> =>
  informers.of(serviceBindings, { transform: smallParts });

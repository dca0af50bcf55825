/** What SAP's operator has made in Service Manager, and the objects that it leaves. */
import { expect } from '@jest/globals';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Change, ServiceManagerClient } from '../../../../internal/systems/btp/service-manager/index.ts';
import { specHash } from '../../../../internal/systems/btp/serviceinstance/spec-hash.ts';
import { callOptions, connectionsTo } from '../../../contract/service-manager/set-up.ts';
import { eventually } from '../../../environment/eventually.ts';
import { btpCrds } from '../../../environment/install-crds.ts';
import { namespaceManifest } from '../../../environment/manifests.ts';
import type { Mode } from '../../../simulators/service-manager/state/modes.ts';
import { putStored } from '../../upgrade/etcd.ts';
import type { BtpEnvironment } from '../btp-environment.ts';
import { goInstanceSpec, namespace } from './go-objects.ts';

/** The state of an instance or binding in Service Manager. */
export type ExternalState =
  | 'none'
  | 'ready'
  | 'being created'
  | 'being updated'
  | 'being deleted'
  /** Its create failed, and it is being deleted. */
  | 'being removed';

/** For the status. */
export interface External {
  readonly id: string;
  readonly operationURL: string;
}

export interface Predecessor {
  readonly client: ServiceManagerClient;
  /** Makes an instance in Service Manager. */
  instance(name: string, state: ExternalState): Promise<External>;
  /** Makes a binding of an instance in Service Manager. */
  binding(name: string, instanceID: string, state: ExternalState): Promise<External>;
  /** Stores an object as it is. */
  store(object: KubeObject): Promise<void>;
  close(): Promise<void>;
}

/** Operations end at the third poll. */
const async: Mode = { async: { polls: 2, description: 'working' } };

export async function startPredecessor({ plane, objects, simulator }: BtpEnvironment): Promise<Predecessor> {
  await objects.apply(namespaces, namespaceManifest(namespace));
  const crds = await btpCrds();
  const { connect, closeAll } = connectionsTo(() => simulator);
  const client = await connect({ trustedCertificates: [simulator.caCertificate] });
  const identityOf = (name: string) => ({ clusterID: 'cluster-1', namespace, name });

  /** Leads a resource to its state. */
  const lead = async (
    kind: 'instance' | 'binding',
    name: string,
    state: ExternalState,
    calls: {
      readonly create: () => Promise<Change<{ readonly id: string }>>;
      readonly update: (id: string) => Promise<Change<unknown>>;
      readonly remove: (id: string) => ReturnType<ServiceManagerClient['deleteInstance']>;
    },
  ): Promise<External> => {
    const next = (operation: 'create' | 'update' | 'delete', mode: Mode) =>
      simulator.modes.add({ on: { kind, name, operation, first: 1 }, mode });
    if (state === 'none') return { id: '', operationURL: '' };
    if (state === 'being created') next('create', async);
    if (state === 'being removed') next('create', { async: { polls: 0, outcome: 'failed' } });
    const created = await calls.create();
    if (created.state === 'done') {
      const { id } = created.resource;
      if (state === 'being updated') {
        next('update', async);
        return { id, operationURL: operationOf(await calls.update(id)) };
      }
      if (state !== 'being deleted') return { id, operationURL: '' };
    } else if (state === 'being created') return created;
    else
      expect(await client.getOperation(created.operationURL, callOptions())).toMatchObject({
        state: 'failed',
      });
    const id = created.state === 'done' ? created.resource.id : created.id;
    next('delete', async);
    return { id, operationURL: operationOf(await calls.remove(id)) };
  };

  return {
    client,
    instance: (name, state) => {
      const content = { name, servicePlanID: 'plan-standard' };
      return lead('instance', name, state, {
        create: () => client.createInstance({ ...content, identity: identityOf(name) }, callOptions()),
        update: (id) => client.updateInstance(id, content, callOptions()),
        remove: (id) => client.deleteInstance(id, callOptions()),
      });
    },
    binding: (name, serviceInstanceID, state) =>
      lead('binding', name, state, {
        create: () =>
          client.createBinding({ name, serviceInstanceID, identity: identityOf(name) }, callOptions()),
        update: () => Promise.reject(new Error('a binding is not updated')),
        remove: (id) => client.deleteBinding(id, callOptions()),
      }),
    store: async (object) => {
      await putStored(plane, crds, object);
      // The API server has it when its watch of etcd has shown it.
      const { apiVersion, kind = '', metadata } = object;
      const path = `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s/${metadata.name}`;
      await eventually(async () => expect(await plane.request(path)).toMatchObject({ status: 200 }));
    },
    close: closeAll,
  };
}

const operationOf = (change: { readonly state: string; readonly operationURL?: string }): string => {
  if (change.operationURL === undefined) throw new Error(`the operation is ${change.state}`);
  return change.operationURL;
};

/** The hash that SAP's operator stores; recorded values of it are the test of `specHash`. */
export const goHash = (name: string, spec: Parameters<typeof goInstanceSpec>[1] = {}): string =>
  specHash(goInstanceSpec(name, spec));

/** The phases of ServiceInstances in which SAP's operator may end. */
import type { ServiceInstance } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { callOptions } from '../../../contract/service-manager/set-up.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import type { BtpEnvironment } from '../btp-environment.ts';
import {
  finalizer,
  type GoInstanceOptions,
  namespace,
  readyConditions,
  unreadyConditions,
} from './go-objects.ts';
import { type ExternalState, goHash, type Predecessor } from './predecessor.ts';

export interface InstancePhase extends GoInstanceOptions {
  readonly title: string;
  readonly name: string;
  /** In Service Manager, when SAP's operator ends. */
  readonly external: ExternalState;
  /** Called before the object is stored. */
  readonly prepare?: (left: {
    readonly environment: BtpEnvironment;
    readonly predecessor: Predecessor;
    readonly instanceID: string;
    readonly object: ServiceInstance;
  }) => Promise<unknown>;
  /** Requests of this provider that change Service Manager. Default: none. */
  readonly requests?: readonly string[];
  /** The first condition in the end; `gone`: there is no object. */
  readonly result: string;
  /** Whether the object stays as it is. */
  readonly isUnchanged?: boolean;
  /** Whether Service Manager has nothing of an object that stays. */
  readonly hasNone?: boolean;
}

const kind = 'ServiceInstance';
const ready = { ready: 'True' } as const;
const isReady = { external: 'ready', conditions: readyConditions(kind), status: ready } as const;
const created = 'Succeeded True Created';
const updated = 'Succeeded True Updated';
const prefix = 'services.cloud.sap.com';
const watchedUid = '7d1b7c8e-0000-4000-8000-000000000001';
export const watchedSecret = { namespace, name: 'watched' };
const fromSecret = {
  parametersFrom: [{ secretKeyRef: { name: watchedSecret.name, key: 'parameters' } }],
  watchParametersFromChanges: true,
};

/** With the marks of SAP's operator. */
function leaveWatchedSecret({ objects }: BtpEnvironment): Promise<unknown> {
  const secret = secretManifest(watchedSecret, { parameters: '{"size":1}' });
  const labels = { [`${prefix}/watch-secret`]: 'true' };
  const annotations = { [`${prefix}/watch-secret-${watchedUid}`]: 'true' };
  const metadata = { ...secret.metadata, labels, annotations, finalizers: [finalizer] };
  return objects.apply(secrets, { ...secret, metadata });
}

export const instancePhases: readonly InstancePhase[] = [
  { title: 'that is ready', name: 'ready', ...isReady, result: created, isUnchanged: true },
  {
    title: 'that was updated',
    name: 'updated',
    ...isReady,
    conditions: readyConditions(kind, 'Updated'),
    metadata: { generation: 3 },
    result: updated,
    isUnchanged: true,
  },
  {
    title: 'with the MD5 hash of an old release',
    name: 'md5',
    ...isReady,
    status: { ...ready, hashedSpec: '0123456789abcdef0123456789abcdef' },
    result: created,
  },
  {
    title: 'of a release that had no hash',
    name: 'no-hash',
    ...isReady,
    status: { ...ready, hashedSpec: '' },
    result: created,
  },
  {
    title: 'with the condition Failed of an old release',
    name: 'failed-condition',
    ...isReady,
    conditions: [...readyConditions(kind), 'Failed False -'],
    result: created,
  },
  {
    title: 'that is shared',
    name: 'shared',
    ...isReady,
    spec: { shared: true },
    conditions: [...readyConditions(kind), 'Shared True ShareSucceeded: instance shared successfully'],
    prepare: ({ predecessor, instanceID }) =>
      predecessor.client.shareInstance(instanceID, true, callOptions()),
    result: created,
    isUnchanged: true,
  },
  {
    title: 'that watches a Secret',
    name: 'watching',
    ...isReady,
    spec: fromSecret,
    metadata: { uid: watchedUid, labels: { [`${prefix}/secret-ref_watched`]: 'watched' } },
    prepare: ({ environment }) => leaveWatchedSecret(environment),
    result: created,
  },
  {
    title: 'that was edited while no operator ran',
    name: 'edited',
    ...isReady,
    spec: { parameters: { size: 2 } },
    status: { ...ready, hashedSpec: goHash('edited', { parameters: { size: 1 } }) },
    metadata: { generation: 2 },
    observed: 1,
    requests: ['updateInstance'],
    result: updated,
  },
  {
    title: 'with a changed Secret, for which an update was requested',
    name: 'forced',
    ...isReady,
    status: { ...ready, forceReconcile: true },
    requests: ['updateInstance'],
    result: updated,
  },
  {
    title: 'whose update failed, which SAP’s operator does not repeat',
    name: 'update-failed',
    ...isReady,
    conditions: ['Succeeded False UpdateFailed: no quota', 'Ready True Provisioned'],
    requests: ['updateInstance'],
    result: updated,
  },
  {
    title: 'that is not found in Service Manager',
    name: 'not-found',
    external: 'none',
    conditions: [
      'Ready False NotFound: instance i-1 not found for this cluster or namespace; or it is not managed by this operator-access instance.',
    ],
    status: { instanceID: 'i-1' },
    result: 'Ready False NotFound',
    hasNone: true,
  },
  {
    title: 'that is being created',
    name: 'creating',
    external: 'being created',
    conditions: unreadyConditions('CreateInProgress: ServiceInstance is being created'),
    status: { operationType: 'create' },
    result: created,
  },
  {
    title: 'that is being updated',
    name: 'updating',
    external: 'being updated',
    conditions: [
      'Succeeded False UpdateInProgress: ServiceInstance is being updated',
      'Ready True Provisioned',
    ],
    status: { ...ready, operationType: 'update' },
    result: updated,
  },
  {
    title: 'that is being deleted',
    name: 'deleting',
    external: 'being deleted',
    deleted: true,
    conditions: [
      'Succeeded False DeleteInProgress: ServiceInstance is being deleted',
      'Ready True Provisioned',
    ],
    status: { ...ready, operationType: 'delete' },
    result: 'gone',
  },
  {
    title: 'whose deletion failed',
    name: 'delete-failed',
    external: 'ready',
    deleted: true,
    conditions: ['Succeeded False DeleteFailed: out of order', 'Ready True Provisioned'],
    status: ready,
    requests: ['deleteInstance'],
    result: 'gone',
  },
  {
    title: 'that was stored before its create was sent',
    name: 'pending',
    external: 'none',
    conditions: unreadyConditions('CreateInProgress: Pending'),
    status: { hashedSpec: '' },
    metadata: { finalizers: [] },
    requests: ['createInstance'],
    result: created,
  },
  {
    title: 'whose create was refused',
    name: 'create-failed',
    external: 'none',
    conditions: unreadyConditions('CreateFailed: no quota'),
    requests: ['createInstance'],
    result: created,
  },
  {
    title: 'whose create succeeded, without a record of its ID',
    name: 'create-lost',
    external: 'ready',
    conditions: unreadyConditions('CreateInProgress: Pending'),
    status: { instanceID: '', subaccountID: '', tags: [] },
    result: created,
  },
  {
    title: 'whose create failed after it was accepted, and is being removed',
    name: 'removing',
    external: 'being removed',
    conditions: unreadyConditions('CreateFailed: ServiceInstance create failed: no quota'),
    status: { operationType: 'delete' },
    requests: ['createInstance'],
    result: created,
  },
];

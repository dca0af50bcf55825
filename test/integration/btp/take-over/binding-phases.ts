/** The phases of ServiceBindings in which SAP's operator may end. */
import { type GoBindingOptions, readyConditions, unreadyConditions } from './go-objects.ts';
import type { ExternalState } from './predecessor.ts';

export interface BindingPhase extends GoBindingOptions {
  readonly title: string;
  readonly name: string;
  /** In Service Manager, when SAP's operator ends. */
  readonly external: ExternalState;
  /** The name in Service Manager, if a rotation has renamed it. */
  readonly renamedTo?: string;
  /** Whether it has a Secret. */
  readonly hasSecret?: boolean;
  /** Whether status.bindingID is not recorded, or was removed by a rotation. */
  readonly isUnrecorded?: boolean;
  /** The replaced binding that it keeps: the name of the phase. */
  readonly backupOf?: string;
  /** Requests of this provider that change Service Manager. Default: none. */
  readonly requests?: readonly string[];
  /** The first condition in the end; `gone`: there is no object. */
  readonly result: string;
  /** Whether its Secret stays as it is. */
  readonly keepsSecret?: boolean;
}

const kind = 'ServiceBinding';
const ready = { ready: 'True' } as const;
const isReady = {
  external: 'ready',
  conditions: readyConditions(kind),
  status: ready,
  hasSecret: true,
  keepsSecret: true,
} as const;
const created = 'Succeeded True Created';
const prefix = 'services.cloud.sap.com';
const policy = { enabled: true, rotationFrequency: '600h', rotatedBindingTTL: '48h' };
const rotates = { spec: { credentialsRotationPolicy: policy } };
const rotation = (step: string) => `CredRotationInProgress True ${step}: ${step}`;
const rotating = unreadyConditions('CreateInProgress: rotating binding credentials');
const suffix = '-x7k2pq';

/** The backup that SAP's operator makes of a binding. */
const backup = (origin: string, ttl = '48h') => ({
  name: `${origin}${suffix}`,
  backupOf: origin,
  spec: {
    externalName: `${origin}${suffix}`,
    secretName: `${origin}-secret${suffix}`,
    credentialsRotationPolicy: { ...policy, enabled: false, rotatedBindingTTL: ttl },
  },
});

export const bindingPhases: readonly BindingPhase[] = [
  { title: 'that is ready', name: 'ready', ...isReady, result: created },
  {
    title: 'whose Secret was rewritten for an edit',
    name: 'updated',
    ...isReady,
    conditions: readyConditions(kind, 'Updated'),
    metadata: { generation: 2 },
    result: 'Succeeded True Updated',
  },
  {
    title: 'with the condition Failed of an old release',
    name: 'failed-condition',
    ...isReady,
    conditions: [...readyConditions(kind), 'Failed False -'],
    result: created,
  },
  {
    title: 'that is bound, and Blocked since its instance was not ready for a while',
    name: 'blocked',
    ...isReady,
    conditions: ['Succeeded False Blocked: service instance is not ready', 'Ready True Provisioned'],
    result: created,
  },
  {
    title: 'that is being created',
    name: 'creating',
    external: 'being created',
    conditions: unreadyConditions('CreateInProgress: ServiceBinding is being created'),
    status: { operationType: 'create' },
    result: created,
  },
  {
    title: 'whose create was refused',
    name: 'create-failed',
    external: 'none',
    conditions: unreadyConditions('CreateFailed: no quota'),
    requests: ['createBinding'],
    result: created,
  },
  {
    title: 'whose create succeeded, without a record of its ID',
    name: 'create-lost',
    external: 'ready',
    isUnrecorded: true,
    conditions: unreadyConditions('CreateInProgress: Pending'),
    result: created,
  },
  {
    title: 'whose create failed after it was accepted, and is being removed',
    name: 'removing',
    external: 'being removed',
    conditions: unreadyConditions('CreateFailed: ServiceBinding create failed: no quota'),
    status: { operationType: 'delete' },
    requests: ['createBinding'],
    result: created,
  },
  {
    title: 'that is being deleted',
    name: 'deleting',
    external: 'being deleted',
    deleted: true,
    conditions: [
      'Succeeded False DeleteInProgress: ServiceBinding is being deleted',
      'Ready True Provisioned',
    ],
    status: { ...ready, operationType: 'delete' },
    hasSecret: true,
    result: 'gone',
  },
  {
    title: 'whose deletion failed',
    name: 'delete-failed',
    ...isReady,
    keepsSecret: false,
    deleted: true,
    conditions: ['Succeeded False DeleteFailed: out of order', 'Ready True Provisioned'],
    requests: ['deleteBinding'],
    result: 'gone',
  },
  {
    title: 'whose rotation has begun',
    name: 'rotate-1',
    ...isReady,
    ...rotates,
    keepsSecret: false,
    conditions: [...readyConditions(kind), rotation('Preparing')],
    // The name and the label are changed in two requests.
    requests: ['updateBinding', 'updateBinding', 'createBinding'],
    result: created,
  },
  {
    title: 'whose rotation has made a backup',
    name: 'rotate-2',
    ...isReady,
    ...rotates,
    keepsSecret: false,
    renamedTo: `rotate-2${suffix}`,
    conditions: [...readyConditions(kind), rotation('Preparing')],
    requests: ['createBinding'],
    result: created,
  },
  {
    title: 'that is the new backup of a rotation in progress',
    external: 'none',
    ...backup('rotate-2'),
    result: created,
    metadata: { finalizers: [] },
  },
  {
    title: 'whose rotation has to create the new binding',
    name: 'rotate-3',
    ...isReady,
    ...rotates,
    keepsSecret: false,
    renamedTo: `rotate-3${suffix}`,
    isUnrecorded: true,
    status: { ready: 'False' },
    conditions: [...rotating, rotation('Rotating')],
    requests: ['createBinding'],
    result: created,
  },
  {
    title: 'that keeps the credentials of a rotation in progress',
    external: 'none',
    ...backup('rotate-3'),
    conditions: readyConditions(kind),
    status: ready,
    hasSecret: true,
    keepsSecret: true,
    result: created,
  },
  {
    title: 'whose rotation waits for the new binding',
    name: 'rotate-4',
    external: 'being created',
    ...rotates,
    hasSecret: true,
    conditions: [...rotating, rotation('Rotating')],
    status: { operationType: 'create' },
    result: created,
  },
  {
    title: 'with replaced credentials whose time is over',
    external: 'ready',
    ...backup('ready', '1h'),
    conditions: readyConditions(kind),
    status: ready,
    hasSecret: true,
    requests: ['deleteBinding'],
    result: 'gone',
  },
];

/** Labels and annotations of a backup. */
export const backupMetadata = (origin: string, bindingID: string) => ({
  labels: { [`${prefix}/stale`]: bindingID, [`${prefix}/rotationOf`]: origin },
  annotations: { [`${prefix}/original-binding-name`]: origin },
});

/** What all steps of one reconcile of a ServiceInstance or ServiceBinding share. */
import type { Clock, NamedValue } from '../../../framework/base/index.ts';
import {
  hasFinalizer,
  type ReconcilerContext,
  type WorkingCopy,
} from '../../../framework/controller/index.ts';
import type { ObjectWatcher } from '../../../framework/kube/index.ts';
import type { CredentialConnector } from '../credentials/credential-connector.ts';
import { finalizer } from '../metadata.ts';
import type {
  KubernetesIdentity,
  OperationType,
  ServiceManagerClient,
  WriteOptions,
} from '../service-manager/index.ts';
import { type ConditionWriter, conditionsOf, writeConditions } from '../status/conditions.ts';
import type { ServiceResource } from '../status/service-resource.ts';
import { createStatusStore, type StatusStore } from '../status/status-store.ts';
import type { ExternalResource, Look, MadeResource } from './external-resource.ts';
import type { LabelledResource, OwnResources } from './own-resources.ts';

interface ServiceSettings {
  /** Identifies this cluster in Service Manager. */
  readonly clusterID: string;
  /** Between polls of an operation, in ms. */
  readonly pollIntervalMs: number;
}

export interface ServiceReconcilerOptions {
  readonly settings: ServiceSettings;
  /** Connects with the credentials of the instance. */
  readonly connect: CredentialConnector['connect'];
  /** For a resource that exists, and was made with other credentials. */
  readonly connectOthers: CredentialConnector['connectOthers'];
  /** Before an instance is created. */
  readonly confirm: CredentialConnector['confirm'];
  /**
   * Keys of objects that Service Manager may not have as they were left. A reconcile looks there, and then removes its own: one that ends
   * before leaves it to the next.
   */
  readonly suspects: Set<string>;
  /** Shared by both kinds. */
  readonly ownResources: OwnResources;
  /** Of the cluster of the objects. */
  readonly objectWatcher: Pick<ObjectWatcher, 'target'>;
}

/** What is kept of an object between reconciles of one process. */
export interface RunMemory {
  /** When a deletion first found nothing in Service Manager, by the monotonic clock in ms. */
  readonly nothingFoundAt?: number;
}

/**
 * One reconcile.
 *
 * @typeParam M what is kept for the object
 */
export interface UnconnectedRun<T extends ServiceResource = ServiceResource, M extends RunMemory = RunMemory>
  extends ServiceReconcilerOptions {
  readonly copy: WorkingCopy<T>;
  /** Changed in place. */
  readonly object: T;
  readonly context: ReconcilerContext<M>;
  readonly conditions: ConditionWriter;
  readonly status: StatusStore;
  /** Values that were read in this reconcile and must not occur in texts. Appended to. */
  readonly confidential: (string | NamedValue)[];
}

/** One reconcile, with Service Manager. */
export interface Run<T extends ServiceResource = ServiceResource, M extends RunMemory = RunMemory>
  extends UnconnectedRun<T, M> {
  readonly client: ServiceManagerClient;
  readonly external: ExternalResource;
}

export function beginRun<T extends ServiceResource, M extends RunMemory>(
  copy: WorkingCopy<T>,
  context: ReconcilerContext<M>,
  options: ServiceReconcilerOptions,
): UnconnectedRun<T, M> {
  const { object } = copy;
  const conditions = writeConditions(object, context.clock.now());
  const status = createStatusStore(copy, context);
  return { ...options, copy, object, context, conditions, status, confidential: [] };
}

/** Adds values that must not occur in texts. Credentials can have more than a call can have arguments. */
export function hide(
  { confidential }: Pick<UnconnectedRun, 'confidential'>,
  values: Iterable<string | NamedValue>,
): void {
  for (const value of values) confidential.push(value);
}

type StatusOf<T extends ServiceResource> = NonNullable<T['status']>;

/** Changes fields of the status in memory; undefined removes one. */
export function setStatus<T extends ServiceResource>(
  object: T,
  fields: { readonly [K in keyof StatusOf<T>]?: StatusOf<T>[K] | undefined },
): void {
  const target: ServiceResource = object;
  target.status = Object.assign({ conditions: conditionsOf(object), ...object.status }, fields);
}

/** For calls that write to Service Manager, after `guard.beforeWrite`. */
export function writeOptions({ object, context: { guard, signal } }: Run): WriteOptions {
  return { fence: guard.assertMayWrite, signal, userInfo: object.spec.userInfo };
}

export const identityOf = ({
  object: { metadata },
  settings: { clusterID },
}: UnconnectedRun): KubernetesIdentity => ({
  clusterID,
  namespace: metadata.namespace,
  name: metadata.name,
});

export const operationURLOf = ({ status }: ServiceResource): string => status?.operationURL ?? '';

/** The type of the operation in progress; undefined for a text that is none. */
export function operationTypeOf({ status }: ServiceResource): OperationType | undefined {
  const type = status?.operationType;
  return type === 'create' || type === 'update' || type === 'delete' ? type : undefined;
}

export const noOperation = { operationURL: undefined, operationType: undefined };

/** Whether an earlier reconcile may have sent a create. */
export const mayHaveBeenSent = ({ copy: { original } }: Pick<UnconnectedRun, 'copy'>): boolean =>
  mayBeCreated(original) && hasFinalizer(original, finalizer);

/** Whether a create was or may have been sent whose result is not recorded. */
export function mayBeCreated(object: ServiceResource): boolean {
  const isRecorded = conditionsOf(object).length > 0;
  return operationURLOf(object) === '' && (operationTypeOf(object) === 'create' || !isRecorded);
}

/**
 * For so long, in ms, a status says nothing of what mostly passes by then: a synchronous create, and bindings that are created or
 * deleted together with their instance.
 */
const MOMENT_MS = 5000;
/** For what many objects need that are deleted at once, in ms. */
export const LONG_MOMENT_MS = 20_000;

/**
 * @param since when the moment began, by the monotonic clock in ms
 * @param ms its length
 * @returns in ms; zero or less: it is over
 */
export const leftOfMoment = (clock: Pick<Clock, 'monotonic'>, since: number, ms = MOMENT_MS): number =>
  since + ms - clock.monotonic();

// How the resource of an object is looked up, for both kinds.

/** The looks at a resource of an object, by GET and by a list. */
export function looksAt(
  { object, client: { viewer }, ownResources }: Pick<Run, 'object' | 'client' | 'ownResources'>,
  read: () => Promise<LabelledResource | undefined>,
  isListed: () => Promise<boolean>,
): readonly [Look, Look] {
  return [
    async () => {
      const found = await read();
      if (found === undefined) return 'absent';
      return ownResources.own(object.metadata.namespace, found, viewer) === undefined ? 'foreign' : 'present';
    },
    async () => ((await isListed()) ? 'present' : 'absent'),
  ];
}

/** A resource that an earlier create may have made, found by its identity. */
export const unrecordedResource = (find: ExternalResource['find']): MadeResource => ({
  id: '',
  record: {},
  look: async () => ((await find()).length > 0 ? 'present' : 'absent'),
});

/** Another client of the same subaccount sees the resource, e.g. after a rotation. A resource without a record gets none by that. */
export function recordViewer({ object, client: { viewer } }: Pick<Run, 'object' | 'client'>): void {
  if (object.status?.viewer) setStatus(object, { viewer });
}

import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  createObjectEvents,
  type ReconcilerContext,
  storeStatus,
  type WorkingCopy,
} from '../../../framework/controller/index.ts';
import {
  type Condition,
  findCondition,
  type StatedCondition,
  withCondition,
} from '../../../framework/kube/index.ts';

type RuntimeState = NonNullable<Runtime['status']>['state'];

/** A condition as the states of the machine set it. */
interface Stated {
  readonly type: ConditionType;
  readonly reason: Reason;
  readonly status: Condition['status'];
  readonly message: string;
}

/**
 * The status of a Runtime during one reconcile. `state` follows the condition that was set last. Events are for people:
 *
 * - a condition that is False is one, whenever it changes
 * - what else is stored together is one on the way to the first Ready, after a failure, and during a deletion
 * - a change of a Ready Runtime that goes well has none, nor has progress within a condition
 */
export interface RuntimeStatusStore {
  /** Pending, also if the condition is False: it is tried again. */
  pending(stated: Stated): void;
  /** Failed, and the condition is False: it needs a change. */
  failed(stated: Omit<Stated, 'status'>): void;
  /** Terminating, also if the condition is False. */
  deletion(stated: Stated): void;
  /** Ready; the first time completes the provisioning. */
  ready(stated: Stated): void;
  /** The condition without a change of the state. */
  keepState(stated: Stated): void;
  condition(type: ConditionType): Condition | undefined;
  /** The state that is stored. */
  storedState(): RuntimeState | undefined;
  /** Removes the condition, without a change of the state. */
  remove(type: ConditionType): void;
  /**
   * Writes the status if it differs from the stored one, then records the events.
   *
   * @param options.isResult it has the result of a write to Gardener, and is stored even if the object was changed meanwhile
   * @param options.isStep more follows at once: what is not False is part of the event of what is stored next in this reconcile
   */
  store(options?: { readonly isResult?: boolean; readonly isStep?: boolean }): Promise<void>;
}

const conditionsOf = ({ status }: Runtime): Condition[] => status?.conditions ?? [];

export function createRuntimeStatusStore(
  copy: WorkingCopy<Runtime>,
  { recorder, signal, clock, log }: Pick<ReconcilerContext, 'recorder' | 'signal' | 'clock' | 'log'>,
): RuntimeStatusStore {
  const { object } = copy;
  const events = createObjectEvents({ recorder, object: () => object });
  /** As it was when the last event was recorded. */
  let before = object.status;
  let stored = object.status;
  const shownBefore = (type: string) => findCondition(before?.conditions ?? [], type);
  /** Whether people wait for what is stored, or it was not well. */
  const isAwaited = (changed: readonly Condition[]) =>
    before?.provisioningCompleted !== true ||
    object.status?.state === 'Terminating' ||
    before.state === 'Failed' ||
    changed.some(({ type }) => shownBefore(type)?.status === 'False');
  const set = (stated: StatedCondition, state: RuntimeState) => {
    const conditions = withCondition(conditionsOf(object), stated, clock.now()).map((condition) => ({
      ...condition,
      message: condition.message ?? '',
    }));
    object.status = { ...object.status, state, conditions };
  };
  const recordEvents = () => {
    const { namespace, name } = object.metadata;
    const changed = conditionsOf(object).filter((each) => !isSame(shownBefore(each.type), each));
    const failed = changed.filter(({ status }) => status === 'False');
    const others = isAwaited(changed)
      ? changed.filter((each) => each.status !== 'False' && !isProgress(shownBefore(each.type), each))
      : [];
    for (const { type, reason, message = '' } of failed) {
      const text = `${message}: ${namespace}/${name}`;
      events.recordWithStatus('Warning', reason, text);
      if (object.status?.state === 'Failed')
        log.error('the Runtime has failed', { condition: type, reason, error: text });
    }
    // One event for all that is stored together, by the reason of the last one.
    const last = others.at(-1);
    if (last !== undefined) {
      const texts = others.map(({ message = '' }) => message).join('; ');
      events.recordWithStatus('Normal', last.reason, `${texts}: ${namespace}/${name}`);
    }
    before = object.status;
  };
  return {
    pending: (stated) => set(stated, 'Pending'),
    failed: (stated) => set({ ...stated, status: 'False' }, 'Failed'),
    deletion: (stated) => set(stated, 'Terminating'),
    ready: (stated) => {
      set(stated, 'Ready');
      object.status = { ...object.status, state: 'Ready', provisioningCompleted: true };
    },
    keepState: (stated) => set(stated, object.status?.state ?? 'Pending'),
    condition: (type) => findCondition(conditionsOf(object), type),
    storedState: () => stored?.state,
    remove: (type) => {
      const { status } = object;
      if (status?.conditions === undefined) return;
      object.status = { ...status, conditions: status.conditions.filter((each) => each.type !== type) };
    },
    store: async ({ isResult = false, isStep = false } = {}) => {
      stored = object.status;
      if (!isStep) recordEvents();
      await storeStatus(copy, { events, signal, isResult });
    },
  };
}

const isProgress = (old: Condition | undefined, { status, reason }: Condition): boolean =>
  old?.status === status && old.reason === reason;

const isSame = (old: Condition | undefined, condition: Condition): boolean =>
  isProgress(old, condition) && old?.message === condition.message;

/** Types and reasons of the conditions of a Runtime. They are those of the Kyma infrastructure manager. */
export const conditionTypes = {
  provisioned: 'Provisioned',
  kubeconfigReady: 'KubeconfigReady',
  kymaSystemCreated: 'KymaSystemNSCreated',
  runtimeBootstrapperReady: 'RuntimeBootstrapperReady',
  oidcConfigured: 'OidcAndConfigMapConfigured',
  configured: 'Configured',
  auditLogConfigured: 'CustomAuditLogConfigured',
  auditLogCredentialsCopied: 'AuditLogCredentialsCopied',
  deprovisioned: 'Deprovisioned',
  registryCacheConfigured: 'RegistryCacheConfigured',
  /** Not of the Kyma infrastructure manager. Only there while it is False. */
  driftCorrected: 'DriftCorrected',
  /** The same. */
  shootOperationSucceeded: 'ShootOperationSucceeded',
} as const;

export type ConditionType = (typeof conditionTypes)[keyof typeof conditionTypes];

export const reasons = {
  initialised: 'Initialised',
  pending: 'Pending',
  shootCreationCompleted: 'ShootCreationCompleted',
  processing: 'Processing',
  configurationCompleted: 'ConfigurationCompleted',
  creationError: 'CreationErr',
  processingError: 'ProcessingErr',
  gardenerError: 'GardenerErr',
  shootNotOwned: 'ShootNotOwned',
  seedNotFound: 'SeedNotFound',
  auditLogError: 'AuditLogErr',
  oidcConfigurationError: 'OidcConfigurationErr',
  conversionError: 'ConversionErr',
  gardenerClusterCreated: 'GardenerClusterCRCreated',
  gardenerClusterReady: 'GardenerClusterCRReady',
  kymaSystemReady: 'KymaSystemNSReady',
  kymaSystemError: 'KymaSystemNSError',
  runtimeBootstrapperConfigurationFailed: 'RuntimeBootstrapperConfigurationFailed',
  runtimeBootstrapperStatusUnknown: 'RuntimeBootstrapperStatusUnknown',
  runtimeBootstrapperInstallationFailed: 'RuntimeBootstrapperInstallationFailed',
  runtimeBootstrapperInstallationInProgress: 'RuntimeBootstrapperInstallationInProgress',
  runtimeBootstrapperUpgradeFailed: 'RuntimeBootstrapperUpgradeFailed',
  runtimeBootstrapperUpgradeInProgress: 'RuntimeBootstrapperUpgradeInProgress',
  runtimeBootstrapperConfigured: 'RuntimeBootstrapperConfigured',
  oidcConfigured: 'OidcAndConfigMapsConfigured',
  configMapError: 'ConfigMapErr',
  customAuditLogError: 'CustomAuditLogErr',
  customAuditLogConfigured: 'CustomAuditLogConfigured',
  credentialsCopied: 'CredentialsCopied',
  credentialsCopyError: 'CredentialsCopyErr',
  administratorsConfigured: 'AdministratorsConfigured',
  configurationError: 'ConfigurationError',
  kubernetesError: 'KubernetesErr',
  gardenerClusterDeleted: 'GardenerClusterCRDeleted',
  shootDeleted: 'GardenerShootDeleted',
  structuredConfigDeleted: 'StructuredConfigDeleted',
  registryCacheConfigured: 'RegistryCacheConfigured',
  registryCacheConfigurationFailed: 'RegistryCacheGardenClusterConfigurationFailed',
  /** What the cluster asks for cannot be read. */
  registryCacheError: 'RegistryCacheError',
  registryCacheRefused: 'RegistryCacheExtensionConfigurationFailed',
  registryCacheCleanupFailed: 'RegistryCacheGardenClusterCleanupFailed',
  driftRefused: 'DriftRefused',
  shootErrors: 'ShootErrors',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

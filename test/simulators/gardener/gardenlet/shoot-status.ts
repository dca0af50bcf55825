import type { Shoot, ShootStatus } from '../../../../apis/gardener/kinds.ts';
import { formatTimestamp } from '../../../../internal/framework/base/time/formats.ts';
import type { OperationType } from '../kinds.ts';
import type { Stage } from './stages.ts';

const CONDITIONS = [
  'APIServerAvailable',
  'ControlPlaneHealthy',
  'ObservabilityComponentsHealthy',
  'EveryNodeReady',
  'SystemComponentsHealthy',
];

const CONSTRAINTS = [
  'HibernationPossible',
  'MaintenancePreconditionsSatisfied',
  'CACertificateValiditiesAcceptable',
];

const DESCRIPTIONS: Readonly<Record<OperationType, string>> = {
  Create: 'Shoot cluster creation',
  Reconcile: 'Shoot cluster reconciliation',
  Delete: 'Shoot cluster deletion',
};

/** The operation that a Shoot needs: Create until it succeeded once. */
export function operationOf({ metadata, status }: Shoot): OperationType {
  if (metadata.deletionTimestamp !== undefined) return 'Delete';
  const last = status?.lastOperation;
  const isCreated = last !== undefined && (last.type !== 'Create' || last.state === 'Succeeded');
  return isCreated ? 'Reconcile' : 'Create';
}

export interface StatusContext {
  readonly project: string;
  readonly operation: OperationType;
  readonly stage: Stage;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `https://host` of the API server of the Shoot. */
  readonly apiServer: string;
}

/** What the gardenlet writes for a stage, as a merge patch of the status. */
export function statusOf(
  shoot: Shoot,
  context: StatusContext,
): Omit<Partial<ShootStatus>, 'lastErrors'> & { lastErrors: unknown } {
  const { project, operation, stage, now, apiServer } = context;
  const time = formatTimestamp(now);
  const progress = stage.progress ?? (stage.state === 'Succeeded' ? 100 : 0);
  const isUp = stage.state === 'Succeeded' && operation !== 'Delete';
  const condition = {
    status: 'True',
    reason: 'Healthy',
    message: 'Healthy.',
    lastTransitionTime: time,
    lastUpdateTime: time,
  };
  const conditionsOf = (types: readonly string[]) => types.map((type) => ({ type, ...condition }));
  const lastOperation = {
    type: operation,
    state: stage.state,
    progress,
    lastUpdateTime: time,
    description: stage.description ?? `${DESCRIPTIONS[operation]} is ${stage.state.toLowerCase()}.`,
  };
  return {
    observedGeneration: shoot.metadata.generation ?? 1,
    gardener: { id: 'gardenlet-simulator', name: 'gardenlet-simulator', version: '1.117.5' },
    technicalID: `shoot--${project}--${shoot.metadata.name}`,
    uid: shoot.metadata.uid ?? '',
    clusterIdentity: `shoot--${project}--${shoot.metadata.name}-${shoot.metadata.uid}-garden-of-tests`,
    ...(shoot.spec?.seedName === undefined ? {} : { seedName: shoot.spec.seedName }),
    hibernated: false,
    lastOperation,
    // Null removes it.
    lastErrors: stage.errors === undefined ? null : stage.errors,
    ...(isUp
      ? {
          advertisedAddresses: [{ name: 'external', url: apiServer }],
          conditions: conditionsOf(CONDITIONS),
          constraints: conditionsOf(CONSTRAINTS),
        }
      : {}),
  };
}

import type { ReconcileResult } from '../../../framework/controller/index.ts';
import type { RuntimeRun } from './run.ts';

/** The states of the machine, by the names of the Kyma infrastructure manager. */
export type StateName =
  | 'TakeSnapshot'
  | 'Initialize'
  | 'CreateShoot'
  | 'SelectShootProcessing'
  | 'PatchExistingShoot'
  | 'WaitForShootCreation'
  | 'WaitForShootReconcile'
  | 'HandleKubeconfig'
  | 'CreateKymaNamespace'
  | 'CleanupRegistryCacheGardenSecrets'
  | 'ConfigureSKR'
  | 'ApplyClusterRoleBindings'
  | 'MigrateToDedicatedAuditLog'
  | 'CopyAuditLogReadCredentials'
  | 'DeleteKubeconfig'
  | 'DeleteShoot'
  | 'RemoveFinalizer';

/** What a state returns: the state that follows in the same reconcile, or how the reconcile ends. */
export type Step = { readonly next: StateName } | { readonly end: ReconcileResult };

export type State = (run: RuntimeRun) => Promise<Step>;

export const next = (state: StateName): Step => ({ next: state });

export const end = (result: ReconcileResult): Step => ({ end: result });

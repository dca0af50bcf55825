/**
 * The state machine of a Runtime. Each reconcile begins with TakeSnapshot; every state is one step and returns the next one, or
 * ends the reconcile. Everything that must survive is in the Runtime and its Shoot, so that each reconcile decides anew.
 */
import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import type { ReconcileResult } from '../../../../framework/controller/index.ts';
import { copyAuditLogReadCredentials } from '../audit-log/copy-credentials.ts';
import { migrateToDedicatedAuditLog } from '../audit-log/migrate.ts';
import { applyClusterRoleBindings } from '../cluster/apply-cluster-role-bindings.ts';
import { configureSkr } from '../cluster/configure-skr.ts';
import { createKymaNamespace } from '../cluster/create-kyma-namespace.ts';
import { handleKubeconfig } from '../cluster/handle-kubeconfig.ts';
import { cleanupRegistryCacheGardenSecrets } from '../registry-caches/cleanup.ts';
import type { RuntimeRun } from '../run.ts';
import { createShoot } from '../states/create-shoot.ts';
import { deleteKubeconfig } from '../states/delete-kubeconfig.ts';
import { deleteShoot } from '../states/delete-shoot.ts';
import { initialize } from '../states/initialize.ts';
import { patchExistingShoot } from '../states/patch-existing-shoot.ts';
import { removeRuntimeFinalizer } from '../states/remove-finalizer.ts';
import { selectShootProcessing } from '../states/select-shoot-processing.ts';
import { takeSnapshot } from '../states/take-snapshot.ts';
import { waitForShootCreation } from '../states/wait-for-shoot-creation.ts';
import { waitForShootReconcile } from '../states/wait-for-shoot-reconcile.ts';
import type { State, StateName } from '../step.ts';

export interface StateEntry {
  readonly run: State;
  /** The states that may follow in the same reconcile. Each state may end it as well. */
  readonly next: readonly StateName[];
}

export const machine: Readonly<Record<StateName, StateEntry>> = {
  TakeSnapshot: { run: takeSnapshot, next: ['Initialize'] },
  Initialize: { run: initialize, next: ['CreateShoot', 'SelectShootProcessing', 'DeleteKubeconfig'] },
  CreateShoot: { run: createShoot, next: ['SelectShootProcessing'] },
  SelectShootProcessing: {
    run: selectShootProcessing,
    next: ['PatchExistingShoot', 'WaitForShootCreation', 'WaitForShootReconcile', 'HandleKubeconfig'],
  },
  PatchExistingShoot: {
    run: patchExistingShoot,
    next: ['WaitForShootCreation', 'WaitForShootReconcile', 'HandleKubeconfig'],
  },
  WaitForShootCreation: { run: waitForShootCreation, next: ['HandleKubeconfig'] },
  WaitForShootReconcile: { run: waitForShootReconcile, next: ['HandleKubeconfig'] },
  HandleKubeconfig: { run: handleKubeconfig, next: ['CreateKymaNamespace'] },
  CreateKymaNamespace: { run: createKymaNamespace, next: ['CleanupRegistryCacheGardenSecrets'] },
  CleanupRegistryCacheGardenSecrets: { run: cleanupRegistryCacheGardenSecrets, next: ['ConfigureSKR'] },
  ConfigureSKR: { run: configureSkr, next: ['ApplyClusterRoleBindings'] },
  ApplyClusterRoleBindings: { run: applyClusterRoleBindings, next: ['MigrateToDedicatedAuditLog'] },
  MigrateToDedicatedAuditLog: { run: migrateToDedicatedAuditLog, next: ['CopyAuditLogReadCredentials'] },
  CopyAuditLogReadCredentials: { run: copyAuditLogReadCredentials, next: [] },
  DeleteKubeconfig: { run: deleteKubeconfig, next: ['DeleteShoot', 'RemoveFinalizer'] },
  DeleteShoot: { run: deleteShoot, next: ['RemoveFinalizer'] },
  RemoveFinalizer: { run: removeRuntimeFinalizer, next: [] },
};

/** Runs the machine from a state on. */
export async function runMachine(
  run: RuntimeRun,
  first: StateName = 'TakeSnapshot',
): Promise<ReconcileResult> {
  const taken: StateName[] = [first];
  for (let state = first; ; ) {
    const step = await machine[state].run(run);
    if ('end' in step) return step.end;
    if (!machine[state].next.includes(step.next) || taken.includes(step.next))
      throw new ProviderError('bug', `state ${step.next} cannot follow ${taken.join(', ')}`);
    run.context.log.debug('next state', { state: step.next, after: state });
    taken.push(step.next);
    state = step.next;
  }
}

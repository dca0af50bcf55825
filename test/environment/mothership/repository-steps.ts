import { createDeps } from '../../../internal/framework/base/deps.ts';
import type { Database } from '../../../internal/systems/reconciler/mothership/database/database.ts';
import { claimOperations } from '../../../internal/systems/reconciler/mothership/dispatch/claim-operations.ts';
import { createInventory } from '../../../internal/systems/reconciler/mothership/inventory/create-inventory.ts';
import type { CallbackStatus } from '../../../internal/systems/reconciler/mothership/model/reconciliation.ts';
import type { Settings } from '../../../internal/systems/reconciler/mothership/model/settings.ts';
import { createReconciliations } from '../../../internal/systems/reconciler/mothership/reconciliations/create-reconciliations.ts';
import type { CallbackContext } from '../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { createOperationTokens } from '../../../internal/systems/reconciler/mothership/reconciliations/operation-tokens.ts';
import { startDue } from '../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import { clusterDocument, testKeyring, testSettings } from './test-mothership.ts';

/** The repositories on a database, with the steps of a run one by one. */
export function repositorySteps(database: Database, settings: Partial<Settings> = {}) {
  const deps = createDeps();
  const tokens = createOperationTokens(testKeyring);
  const context: CallbackContext & { settings: Settings } = {
    ...deps,
    tokens,
    observers: [],
    settings: testSettings(settings),
  };
  const inventory = createInventory({ store: database, keyring: testKeyring });
  const reconciliations = createReconciliations({ ...context, store: database, keyring: testKeyring });
  const never = new AbortController().signal;
  const schedule = () =>
    startDue({ ...deps, database, keyring: testKeyring, settings: context.settings }, never);
  const claim = (limit = 100) =>
    claimOperations(database, {
      claimedBy: 'test',
      limit,
      leaseMs: context.settings.orphanTimeoutMs,
      maxParallelByComponent: context.settings.maxParallelByComponent,
    });
  type Claimed = Awaited<ReturnType<typeof claim>>[number];
  const report = (
    operation: Claimed,
    status: CallbackStatus,
    fields: { error?: string; retryId?: string } = {},
  ) => {
    const ids = { schedulingId: operation.scheduling_id, correlationId: operation.correlation_id };
    return reconciliations.callback({
      ...ids,
      token: tokens.issue({ ...ids, fencingToken: operation.fencing_token }),
      status,
      error: fields.error ?? '',
      retryId: fields.retryId ?? 'first attempt',
      processingDurationMs: 7,
    });
  };
  return {
    database,
    context,
    tokens,
    inventory,
    reconciliations,
    schedule,
    claim,
    report,
    /** Registers a cluster and starts its run. Returns its scheduling id. */
    begin: async (runtimeId: string, components?: readonly string[]) => {
      await inventory.upsert(clusterDocument(runtimeId, components), 1);
      const ids = await schedule();
      const id = ids.find((started) => started.startsWith(`${runtimeId}--`));
      if (id === undefined) throw new Error(`no run of ${runtimeId} was started`);
      return id;
    },
    /** Claims and reports until nothing can be claimed. Returns the components in their order. */
    finish: async (statusOf: (component: string) => CallbackStatus = () => 'success') => {
      const order: string[][] = [];
      for (let group = await claim(); group.length > 0; group = await claim()) {
        order.push(group.map(({ component }) => component).sort());
        for (const operation of group)
          await report(operation, statusOf(operation.component), { error: 'broken' });
      }
      return order;
    },
  };
}

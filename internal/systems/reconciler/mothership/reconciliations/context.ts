import { sql, type Transaction } from 'kysely';
import type { Deps, NamedValue } from '../../../../framework/base/index.ts';
import type { Schema } from '../database/schema.ts';
import type { Component } from '../model/cluster.ts';
import type { Observer } from '../model/mothership.ts';
import type { Operation, OperationState, Reconciliation } from '../model/reconciliation.ts';
import type { Settings } from '../model/settings.ts';

/** What all changes of reconciliations need. */
export interface ChangeContext extends Pick<Deps, 'random' | 'log'> {
  readonly settings: Pick<
    Settings,
    | 'maxParallel'
    | 'maxParallelByComponent'
    | 'maxReconcileErrors'
    | 'maxDeleteErrors'
    | 'maxOperationRetries'
    | 'orphanTimeoutMs'
    | 'reconcileIntervalMs'
    | 'rollouts'
  >;
  readonly observers: readonly Observer[];
}

/** What decides how a reconciliation goes on, beside its operations. */
export type LockedReconciliationRow = Pick<
  Reconciliation,
  'scheduling_id' | 'runtime_id' | 'config_status_id' | 'finished' | 'max_parallel'
>;

/** What decides how a reconciliation goes on. */
export type SequencedOperationRow = Pick<
  Operation,
  'scheduling_id' | 'correlation_id' | 'component' | 'type' | 'priority' | 'state' | 'released' | 'reason'
>;

/** SQL: the state is one of these. */
export const stateIn = (...states: readonly OperationState[]) =>
  sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;

/** Locks the rows of reconciliations until the end of the transaction, in an order that is the same for all. */
export async function lockReconciliations(
  tx: Transaction<Schema>,
  schedulingIds: readonly string[],
): Promise<LockedReconciliationRow[]> {
  return tx
    .selectFrom('reconciliations')
    .select(['scheduling_id', 'runtime_id', 'config_status_id', 'finished', 'max_parallel'])
    .where('scheduling_id', '=', sql<string>`any(${[...new Set(schedulingIds)]}::text[])`)
    .orderBy('scheduling_id')
    .forUpdate()
    .execute();
}

/** A short one may be an ordinary word, such as `true`: it is masked only where it stands as the value of its key. */
export type SecretValue = string | NamedValue;

/** A longer text is masked wherever it is, since it is marked. In characters. */
const SHORT = 8;

/** Texts in the values that a registration marks as secret: a component reconciler gets them, and may quote them. */
export const secretValuesOf = ({ configuration }: Pick<Component, 'configuration'>): SecretValue[] =>
  configuration.flatMap(({ key, value, secret }) =>
    secret ? textsIn(value).map((text) => (text.length < SHORT ? { name: key, value: text } : text)) : [],
  );

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

import { inventory } from './0001-inventory.ts';
import { scheduler } from './0002-scheduler.ts';
import { rollouts } from './0003-rollouts.ts';
import { constraints } from './0004-constraints.ts';
import { tenants } from './0005-tenants.ts';
import type { Migration } from './migration.ts';

/** All steps, in their order. */
export const migrations: readonly Migration[] = [inventory, scheduler, rollouts, constraints, tenants];

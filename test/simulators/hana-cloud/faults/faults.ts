import type * as base from '../../base/faults/faults.ts';
import type { Route } from '../contract.ts';

export type { FaultAction, FaultHandle } from '../../base/faults/faults.ts';
export type Faults = base.Faults<Route>;
export type FaultMatch = base.FaultMatch<Route>;

import type * as base from '../base/journal.ts';
import type { Route } from './contract.ts';

export type RequestRecord = base.RequestRecord<Route>;
export type RequestFilter = base.RequestFilter<Route>;

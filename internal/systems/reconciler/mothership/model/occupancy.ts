/** How busy the worker pools are: the signal of the autoscaler. */
export interface Occupancy {
  /**
   * Stores the workers of a pool. Returns whether the pool is new.
   *
   * @throws RefusedError `mismatch` if component or size of a known pool differ, `invalid` if more run than there are
   */
  report(pool: WorkerPoolOccupancy): Promise<'created' | 'updated'>;
  /** Removes a pool; one that is unknown is no error. */
  remove(poolId: string): Promise<void>;
  /** Pool ids in the order of their names. */
  poolIds(): Promise<string[]>;
  /** Removes the pools that have reported nothing for so long. Returns how many. */
  removeSilent(ageMs: number): Promise<number>;
  /** In percent of the workers of all pools of a component, by component. */
  ratios(): Promise<ReadonlyMap<string, number>>;
}

export interface WorkerPoolOccupancy {
  readonly poolId: string;
  readonly component: string;
  readonly runningWorkers: number;
  readonly poolSize: number;
}

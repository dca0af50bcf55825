import type { Measurement } from './measurement.ts';
import { creation } from './measurements/creation.ts';
import { deletion } from './measurements/deletion.ts';
import { fleet } from './measurements/fleet.ts';
import { framework } from './measurements/framework.ts';
import { memory } from './measurements/memory.ts';
import { restart } from './measurements/restart.ts';
import { startUp } from './measurements/start-up.ts';
import { steady } from './measurements/steady.ts';
import { watchTrigger } from './measurements/watch-trigger.ts';

/** In the order in which they run. Those that need settled mappings use the ones that `creation` has made. */
export const measurements: readonly Measurement[] = [
  framework,
  startUp,
  creation,
  deletion,
  steady,
  memory,
  // These two add mappings to the settled ones.
  restart,
  watchTrigger,
  fleet,
];

import { createDeps } from '../../../internal/framework/base/deps.ts';
import { nopLogger } from '../../../internal/framework/base/telemetry/telemetry.ts';
import type { FakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import type { GatedKind, ObjectControllerOptions } from '../../../internal/framework/controller/index.ts';
import { createInformers } from '../../../internal/framework/kube/cache/informers.ts';
import type { KubeClient } from '../../../internal/framework/kube/index.ts';
import { createFakeRecorder, gatedKind } from '../../../internal/framework/managed/fakes/index.ts';
import type { Replica } from './replicas.ts';

export interface ManagedProcessOptions {
  readonly clock: FakeClock;
  readonly client: KubeClient;
  readonly fence: () => void;
  /** Builds the kinds of the process. */
  readonly kinds: (build: typeof gatedKind, options: ObjectControllerOptions) => readonly GatedKind[];
}

/** The controllers of some kinds. */
export function startManagedProcess({ clock, client, fence, kinds }: ManagedProcessOptions): Replica {
  const deps = createDeps({ clock, log: nopLogger });
  const informers = createInformers({ ...deps, client });
  const recorder = createFakeRecorder();
  const options = { ...deps, client, informers, recorderFor: () => recorder, fence, workers: 20 };
  const runs = kinds(gatedKind, options).map((kind) => kind.build());
  const ends = runs.map((run) => run.start());
  for (const { controller } of runs) controller.watch();
  for (const { controller } of runs) controller.work();
  return {
    stop: async () => {
      await Promise.all(runs.map(({ controller }) => controller.stop()));
      for (const end of ends) end();
    },
  };
}

import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { SHARDS, type Shard } from './model.ts';

/** Two shards with a HANA Cloud of their own; run after run uses them. */
export interface Lane {
  readonly environment: FaultEnvironment;
  /** Ends the process of a shard and starts another one. */
  restart(shard: Shard, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  signal(shard: Shard, name: NodeJS.Signals): void;
  /** What the processes of the shards said last, for a failure. */
  lastWords(): string;
  stop(): Promise<void>;
}

/** Short, since the new shard of a resource waits as long. */
const EXTERNAL_TIMEOUT = '--external-timeout=4s';

export async function openLane(): Promise<Lane> {
  const environment = await startFaultEnvironment();
  const processes = new Map<Shard, ProviderProcess>();
  const start = async (shard: Shard) => {
    const selector = `--watch-label-selector=${environment.selector},shard=${shard}`;
    processes.set(shard, await environment.run({ args: [selector, EXTERNAL_TIMEOUT, '--poll=5s'] }));
  };
  await Promise.all(SHARDS.map(start));
  return {
    environment,
    restart: async (shard, signal) => {
      const process = processes.get(shard);
      if (signal === 'SIGTERM') {
        process?.signal(signal);
        // A frozen process handles no signal.
        process?.signal('SIGCONT');
      } else await process?.kill();
      await process?.gone;
      await start(shard);
    },
    signal: (shard, name) => processes.get(shard)?.signal(name),
    lastWords: () =>
      [...processes]
        .map(([shard, process]) => `── shard ${shard}\n${process.output().slice(-5000)}`)
        .join('\n'),
    stop: () => environment.stop(),
  };
}

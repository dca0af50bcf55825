import type { FakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import type { MemoryClient } from '../../../internal/framework/kube/fakes/memory-client.ts';
import type { ProcessAction } from './arbitraries.ts';
import { driveClock } from './drive-clock.ts';
import { createNetwork, type Network } from './network.ts';
import { type Replica, type ReplicaParts, type Replicas, startReplicas } from './replicas.ts';

export interface SurroundingsOptions {
  readonly clock: FakeClock;
  /** As the clock, and what else must happen meanwhile. */
  readonly advance: (ms: number) => Promise<void>;
  /** The API servers. */
  readonly servers: readonly Pick<MemoryClient, 'expireWatches' | 'holdWatches'>[];
}

/** The processes of a module, their clock and their network. */
export interface Surroundings {
  readonly network: Network;
  /** Starts the first process. */
  start(start: (parts: ReplicaParts) => Promise<Replica>): Promise<void>;
  perform(action: ProcessAction): Promise<void>;
  /** After each action: a process that died is replaced. */
  revive(): Promise<void>;
  /** The writes of a new process. @param settle waits until it has nothing more to do */
  rest(settle: () => Promise<void>): Promise<readonly string[]>;
  /** Ends all faults. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

export function createSurroundings({ clock, advance, servers }: SurroundingsOptions): Surroundings {
  const network = createNetwork(clock);
  let held: readonly (() => void)[] = [];
  let started: Replicas | undefined;
  const replicas = (): Replicas => {
    if (started === undefined) throw new Error('no process was started');
    return started;
  };
  const release = () => {
    for (const end of held) end();
    held = [];
  };
  return {
    network,
    start: async (start) => {
      const drive = <T>(work: Promise<T>) => driveClock({ advance }, work);
      started = await startReplicas({ network, drive, wait: advance, start });
    },
    perform: async (action) => {
      switch (action.do) {
        case 'wait':
          return advance(action.ms);
        case 'stop':
          return replicas().restart();
        case 'hand over':
          return replicas().handOver();
        case 'kill':
          return replicas().killAt(action.write, action.when);
        case 'fault':
          return network.add(action.link, action.fault, action.calls);
        case 'clock':
          return clock.jump(action.ms);
        case 'expire watches':
          for (const server of servers) server.expireWatches();
          return;
        case 'hold watches': {
          const holds = servers.map((server) => server.holdWatches());
          release();
          held = holds;
          return;
        }
        default:
          return action satisfies never;
      }
    },
    revive: () => replicas().revive(),
    rest: async (settle) => {
      const before = network.writes.length;
      await replicas().restart();
      await settle();
      return network.writes.slice(before).map(({ text }) => text);
    },
    heal: async () => {
      network.heal();
      release();
      await replicas().heal();
    },
    stop: () => replicas().stop(),
  };
}

import { NotLeaderError } from '../../../internal/framework/base/concurrency/fence.ts';
import type { Network, NetworkProcess, When } from './network.ts';

/** A running process: the controllers of a module with their connections. */
export interface Replica {
  /** As by SIGTERM. */
  stop(): Promise<void>;
}

export interface ReplicaParts {
  readonly process: NetworkProcess;
  /** Throws once another process may be the leader. */
  readonly fence: () => void;
}

export interface Replicas {
  stop(): Promise<void>;
  /** The process ends, and another one starts: everything in memory is lost. */
  restart(): Promise<void>;
  /** The process dies at one of its next writes. A new one starts at the next `revive`. */
  killAt(write: number, when: When): void;
  /** It loses the lease without noticing more than that. Another one starts after a lease, and then the old one ends. */
  handOver(): Promise<void>;
  /** Starts a new process if the current one died. */
  revive(): Promise<void>;
  /** The process dies no more. */
  heal(): Promise<void>;
}

export interface ReplicasOptions {
  readonly network: Pick<Network, 'interrupt'>;
  /** Lets time pass until the promise is settled. */
  readonly drive: <T>(work: Promise<T>) => Promise<T>;
  readonly wait: (ms: number) => Promise<void>;
  readonly start: (parts: ReplicaParts) => Promise<Replica>;
}

/** After it, another process may begin: longer than any call of the network lasts. */
const LEASE_MS = 15_000;

/** Starts the first process. */
export async function startReplicas({ network, drive, wait, start }: ReplicasOptions): Promise<Replicas> {
  const begin = async () => {
    const process: NetworkProcess = { isDead: false };
    const state = { isLeader: true };
    const fence = () => {
      if (!state.isLeader) throw new NotLeaderError('another process is the leader');
    };
    return { process, state, replica: await start({ process, fence }) };
  };
  let current = await begin();
  const restart = async () => {
    network.interrupt();
    await drive(current.replica.stop());
    current = await begin();
  };
  const revive = async () => {
    if (current.process.isDead) await restart();
  };
  return {
    stop: () => drive(current.replica.stop()),
    restart,
    revive,
    killAt: (write, when) => {
      current.process.death = { left: write, when };
    },
    handOver: async () => {
      await revive();
      network.interrupt();
      const old = current;
      old.state.isLeader = false;
      await wait(LEASE_MS);
      current = await begin();
      await wait(1000);
      await drive(old.replica.stop());
    },
    heal: async () => {
      await revive();
      current.process.death = undefined;
    },
  };
}

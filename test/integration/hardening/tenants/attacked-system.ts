import type { ProcessMeter } from '../../harness/provider/cost-meter.ts';
import type { HostileHost } from './hostile-hosts.ts';

/** How an attack is varied. */
export interface Variation {
  /** 1: as many and as large as it can be; less: a part of that. */
  readonly scale: number;
  /** The next server of the tenant, each with another behaviour. */
  readonly nextHost: () => HostileHost;
  /** A name that was not used yet. */
  readonly newName: () => string;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/** What a tenant does. It must not fail if the system refuses it. */
export type Attack = (variation: Variation) => Promise<unknown>;

/** A program, what honest tenants ask of it, and the kinds of attacks of a hostile one. */
export interface AttackedSystem {
  readonly name: string;
  readonly meter: ProcessMeter;
  /** Memory limit of its chart, in bytes. */
  readonly memoryLimit: number;
  /** Prepares what one operation of a tenant needs. Returns the operation, which ends when it is done. */
  prepare(tenant: string): Promise<() => Promise<void>>;
  readonly attacks: Readonly<Record<string, Attack>>;
  /** Removes what the attacks left. */
  clean(): Promise<void>;
  /** @throws if it has ended, or does not answer */
  expectAlive(): Promise<void>;
}

/** So many times at once; what is refused does no harm. */
export const times = (count: number, act: (n: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: Math.ceil(count) }, (_, n) => act(n).catch(() => undefined)));

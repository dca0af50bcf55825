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

/** Texts for names that are stored as they are: paths, lines, quotes, marks of direction, members of prototypes, and long ones. */
export const ODD_NAMES: readonly string[] = [
  '../../../api/v1/secrets?x=#y',
  'a\r\nhost: other\r\n\r\nGET / HTTP/1.1',
  "x' or name eq 'y",
  '__proto__',
  'constructor',
  '\u202e\u2066\u{1f600}',
  '%2e%2e%2f%00%25',
  '{{ .Values }} `id` $(id)',
  'x'.repeat(200_000),
  ' ',
];

/** Records that name owners of another namespace, or none, as a restored dump has them. */
export const foreignMetadata = (n: number) => ({
  finalizers: Array.from({ length: 30 }, (_, index) => `hostile.example/${index}-${n}`),
  ownerReferences: Array.from({ length: 50 }, (_, index) => ({
    ...{ apiVersion: 'example.org/v1', kind: 'Owner', name: `owner-${index}` },
    uid: `00000000-0000-4000-8000-${String(1000 * n + index).padStart(12, '0')}`,
  })),
});

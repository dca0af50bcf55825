import type { ProcessMeter } from '../../harness/provider/cost-meter.ts';
import type { HostileHost } from './hostile-hosts.ts';

/** How an attack is varied. */
export interface Variation {
  /** Acts so many times, or a part of that, many at once, until the run ends. What is refused does no harm. */
  readonly scaled: (count: number, act: (n: number) => Promise<unknown>) => Promise<void>;
  /** The next server of the tenant, each with another behaviour. */
  readonly nextHost: () => HostileHost;
  /** A name that was not used yet. */
  readonly newName: () => string;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/** What a tenant does. It must not fail if the system refuses it. */
export type Attack = (variation: Variation) => Promise<unknown>;

/** What an honest tenant asks of a program. */
export interface Operation {
  /** Ends when it is done. */
  perform(): Promise<void>;
  /** Removes what it made, so that a later run has what this one had. */
  remove?(): Promise<void>;
}

/** A program, what honest tenants ask of it, and the kinds of attacks of a hostile one. */
export interface AttackedSystem {
  readonly name: string;
  readonly meter: ProcessMeter;
  /** Memory limit of its chart, in bytes. */
  readonly memoryLimit: number;
  /** Prepares what one operation of a tenant needs. */
  prepare(tenant: string): Promise<Operation>;
  readonly attacks: Readonly<Record<string, Attack>>;
  /** Removes what the attacks left. */
  clean(): Promise<void>;
  /** @throws if it has ended, or does not answer */
  expectAlive(): Promise<void>;
}

/** So many times at once; what is refused does no harm. */
export const times = (count: number, act: (n: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n).catch(() => undefined)));

/** More would wait for each other when the run ends. */
const AT_ONCE = 8;

/** @param scale of the counts: 1 or less */
export const scaledBy =
  (scale: number, signal: AbortSignal): Variation['scaled'] =>
  async (count, act) => {
    let begun = 0;
    const last = Math.ceil(count * scale);
    await times(AT_ONCE, async () => {
      while (begun < last && !signal.aborted) await act(begun++).catch(() => undefined);
    });
  };

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

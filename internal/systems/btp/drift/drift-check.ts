/**
 * Finds settled objects that were removed or changed in Service Manager: nothing else would look at them for hours. Each interval it
 * lists the instances and the bindings of this cluster, once for each credentials, and compares them with all objects at once.
 */
import {
  type Deps,
  inParallel,
  jitter,
  messageOf,
  reserveNothing,
  sleep,
  withDeadline,
} from '../../../framework/base/index.ts';

import type { Runnable } from '../../../framework/process/index.ts';
import { type CredentialUser, groupOf } from '../credentials/secret-names.ts';
import type { ServiceReconcilerOptions } from '../operations/run.ts';
import type { ServiceManagerClient } from '../service-manager/index.ts';
import type { Expected, Tracking } from './tracked-kind.ts';

export interface DriftCheckOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  /** In ms; 0: never. A start looks at each instance anyway. */
  readonly intervalMs: number;
  readonly connect: ServiceReconcilerOptions['connect'];
  /** The kinds whose controllers run. */
  readonly trackings: ReadonlySet<Tracking>;
}

/** Of an interval, so that the processes of many clusters do not list at the same time. */
const JITTER = 0.1;
/** Credentials with which it lists at the same time: some Service Managers may not respond. */
const WIDTH = 8;
/** For the lists with the credentials of one object, in ms. */
const TIMEOUT_MS = 300_000;

export function driftCheck(options: DriftCheckOptions): Runnable {
  const { clock, random, intervalMs } = options;
  return {
    name: 'comparison with Service Manager',
    needsLeadership: true,
    start: async (signal) => {
      if (intervalMs === 0) return;
      while (!signal.aborted) {
        await sleep(clock, jitter(intervalMs, JITTER, random), signal).catch(() => undefined);
        await compareAll(options, signal);
      }
    },
  };
}

/** Compares all kinds once. What fails is logged. */
export async function compareAll(
  options: Omit<DriftCheckOptions, 'intervalMs' | 'random'>,
  signal: AbortSignal,
): Promise<void> {
  for (const tracking of options.trackings) {
    if (signal.aborted) return;
    await compareKind(options, tracking, signal).catch((error: unknown) =>
      options.log.error('the comparison with Service Manager failed', { error: messageOf(error) }),
    );
  }
}

type CompareOptions = Parameters<typeof compareAll>[0];

/** The objects of one kind. Different Secrets may have the same credentials, which are used once. */
async function compareKind(options: CompareOptions, tracking: Tracking, signal: AbortSignal): Promise<void> {
  const groups = Map.groupBy(tracking.expected(), ({ user }) => groupOf(user)).values();
  const seen = new Map<string, { readonly client: ServiceManagerClient; expected: Expected[] }>();
  try {
    await inParallel(groups, WIDTH, async (group) => {
      const [first] = group;
      if (first === undefined) return;
      await skippingFailures(options, first.user, async () => {
        const client = await options.connect(first.user, { signal, reserve: reserveNothing });
        const known = seen.get(client.credentialsID);
        if (known === undefined) seen.set(client.credentialsID, { client, expected: group });
        else {
          known.expected = [...known.expected, ...group];
          await client.close();
        }
      });
    });
    await inParallel(seen.values(), WIDTH, async ({ client, expected }) => {
      const [first] = expected;
      if (first === undefined) return;
      await skippingFailures(options, first.user, async () => {
        using deadline = withDeadline(options.clock, TIMEOUT_MS, 'comparison with Service Manager', signal);
        await tracking.compare(expected, client, { signal: deadline.signal });
      });
    });
  } finally {
    await Promise.all([...seen.values()].map(({ client }) => client.close()));
  }
}

/** What fails is reported by the reconciles that use the same credentials; the next comparison tries again. */
async function skippingFailures(
  { log }: CompareOptions,
  { metadata: { namespace } }: CredentialUser,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    log.info('cannot compare with Service Manager', { namespace, error: messageOf(error) });
  }
}

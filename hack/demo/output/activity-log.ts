import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { Clock } from '../../../internal/base/time/clock.ts';
import type { Objects } from '../../../test/environment/objects.ts';
import type { RequestRecord } from '../../../test/simulators/hana-cloud/journal.ts';
import type { HanaCloudSimulator } from '../../../test/simulators/hana-cloud/simulator.ts';

/**
 * Tells what happens on its own while steps run: each call that HANA Cloud saw, and each change of a mapping's
 * conditions. It looks at the simulator and at the API, never at the provider's log.
 */
export interface Narrator {
  /** Tells everything up to now. Never rejects: what cannot be seen is not told. */
  catchUp(): Promise<void>;
  stop(): void;
}

export interface NarratorOptions {
  readonly management: Pick<Objects, 'list'>;
  readonly simulator: Pick<HanaCloudSimulator, 'requests'>;
  readonly clock: Clock;
  readonly tell: (text: string) => void;
}

const LOOK_EVERY_MS = 150;

export function startNarrator({ management, simulator, clock, tell }: NarratorOptions): Narrator {
  const calls = newCalls(simulator);
  const seen = new Map<string, string>();
  let stopped = false;

  const look = async () => {
    const mappings = await management.list(kymaInstanceMappings);
    if (stopped) return;
    for (const call of calls()) tell(`HANA Cloud: ${describeCall(call)}`);
    for (const { metadata, status } of mappings) {
      for (const condition of status?.conditions ?? []) {
        const { type, status, reason, message } = condition;
        const text = `${metadata.name}: ${type}=${status} ${reason}${message ? `: ${message}` : ''}`;
        if (seen.get(`${metadata.name} ${type}`) === text) continue;
        seen.set(`${metadata.name} ${type}`, text);
        // While both say the same, once is enough.
        if (type === 'Ready' && message && status !== 'True' && saysSame(seen, metadata.name, text)) continue;
        tell(text);
      }
    }
  };
  let looking: Promise<void> = Promise.resolve();
  const catchUp = () => {
    looking = looking.then(look).catch(() => undefined);
    return looking;
  };
  let cancel: () => void = () => undefined;
  const again = () => {
    cancel = clock.after(LOOK_EVERY_MS, () => void catchUp().finally(() => stopped || again()));
  };
  again();
  return {
    catchUp,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

const saysSame = (seen: ReadonlyMap<string, string>, mapping: string, ready: string): boolean =>
  seen.get(`${mapping} Synced`)?.replace('Synced', '') === ready.replace('Ready', '');

/** The calls that have been answered since it was asked last, in the order of their answers. */
function newCalls(simulator: NarratorOptions['simulator']): () => RequestRecord[] {
  const told = new Set<number>();
  return () => {
    const fresh = simulator.requests().filter(({ id, outcome }) => outcome !== 'under way' && !told.has(id));
    for (const { id } of fresh) told.add(id);
    return fresh;
  };
}

/** A call on one line: what was asked and sent, what the answer was, and who asked. Nothing of it is secret. */
export function describeCall({ method, path, query, body, status, clientID }: RequestRecord): string {
  const search = new URLSearchParams(query).toString();
  const place = path.replace(/^\/inventory\/v2\/serviceInstances/, '…') + (search === '' ? '' : `?${search}`);
  const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  const by = clientID === undefined ? '' : ` for ${clientID}`;
  return `${method} ${place}${sent} → ${status ?? 'no answer'}${by}`;
}

import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';
import type { Objects } from '../../../test/environment/objects.ts';
import type { RequestRecord } from '../../../test/simulators/base/journal.ts';
import type { HanaCloudSimulator } from '../../../test/simulators/hana-cloud/simulator.ts';
import type { ServiceManagerSimulator } from '../../../test/simulators/service-manager/simulator.ts';

type AnyRecord = RequestRecord<string>;

/**
 * Prints activity while steps run: each call to HANA Cloud and Service Manager, and each change of a mapping's
 * conditions. It reads the simulators and the API, never the provider's log.
 */
export interface ActivityLog {
  /** Prints everything up to now. Never rejects: what cannot be read is not printed. */
  catchUp(): Promise<void>;
  stop(): void;
}

export interface ActivityLogOptions {
  readonly management: Pick<Objects, 'list'>;
  readonly simulator: Pick<HanaCloudSimulator, 'requests'>;
  readonly serviceManager: Pick<ServiceManagerSimulator, 'requests'>;
  readonly clock: Clock;
  readonly print: (text: string) => void;
}

const LOOK_EVERY_MS = 150;

export function startActivityLog(options: ActivityLogOptions): ActivityLog {
  const { management, simulator, serviceManager, clock, print } = options;
  const toHanaCloud = newCalls(simulator);
  const toServiceManager = newCalls(serviceManager);
  const seen = new Map<string, string>();
  let stopped = false;

  const poll = async () => {
    const mappings = await management.list(kymaInstanceMappings);
    if (stopped) return;
    for (const call of toHanaCloud()) print(`HANA Cloud: ${describeCall(call)}`);
    for (const call of toServiceManager()) print(`Service Manager: ${describeBriefly(call)}`);
    for (const { metadata, status } of mappings) {
      for (const condition of status?.conditions ?? []) {
        const { type, status, reason, message } = condition;
        const text = `${metadata.name}: ${type}=${status} ${reason}${message ? `: ${message}` : ''}`;
        if (seen.get(`${metadata.name} ${type}`) === text) continue;
        seen.set(`${metadata.name} ${type}`, text);
        // Identical conditions are printed once.
        if (type === 'Ready' && message && status !== 'True' && hasSameMessage(seen, metadata.name, text))
          continue;
        print(text);
      }
    }
  };
  let polling: Promise<void> = Promise.resolve();
  const catchUp = () => {
    polling = polling.then(poll).catch(() => undefined);
    return polling;
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

const hasSameMessage = (seen: ReadonlyMap<string, string>, mapping: string, ready: string): boolean =>
  seen.get(`${mapping} Synced`)?.replace('Synced', '') === ready.replace('Ready', '');

/** The calls that were completed since the last call, in the order of their responses. */
function newCalls(simulator: { requests(): AnyRecord[] }): () => AnyRecord[] {
  const printed = new Set<number>();
  return () => {
    const fresh = simulator
      .requests()
      .filter(({ id, outcome }) => outcome !== 'under way' && !printed.has(id));
    for (const { id } of fresh) printed.add(id);
    return fresh;
  };
}

/** Its queries are long, and its bodies are those of the objects. */
const describeBriefly = ({ method, path, status }: AnyRecord): string =>
  `${method} ${path} → ${status ?? 'no answer'}`;

/** A call on one line: method, path, body, response and client. Nothing of it is secret. */
function describeCall({ method, path, query, body, status, clientID }: AnyRecord): string {
  const search = new URLSearchParams(query).toString();
  const place = path.replace(/^\/inventory\/v2\/serviceInstances/, '…') + (search === '' ? '' : `?${search}`);
  const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  const by = clientID === undefined ? '' : ` for ${clientID}`;
  return `${method} ${place}${sent} → ${status ?? 'no answer'}${by}`;
}

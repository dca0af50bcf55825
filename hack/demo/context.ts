import { kymaInstanceMappings } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { Clock } from '../../internal/framework/base/time/clock.ts';
import type { Condition } from '../../internal/framework/kube/object/condition.ts';
import { keyString, type ObjectKey } from '../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import { annotationReconcileRequestedAt } from '../../internal/framework/managed/resource/meta.ts';
import type { Objects } from '../../test/environment/objects.ts';
import type { Mapping } from '../../test/simulators/hana-cloud/store.ts';
import type { DemoEnvironment } from './environment/environment.ts';
import type { Database, MappingName as FirstActName } from './environment/objects.ts';
import { runProvider } from './provider/provider-command.ts';
import { untilMet } from './run/expectation.ts';

/** Mappings of all acts. */
type MappingName = FirstActName | 'billing' | 'storefront';

type Expect = (
  what: string,
  actual: () => string | Promise<string>,
  expected: string | readonly string[],
) => Promise<void>;

/** The context of a step. Assertions use HANA Cloud's own store and objects of the API, as texts. */
export interface Context extends DemoEnvironment {
  /** Waits until it holds, with a time-out for a busy machine. */
  readonly until: Expect;
  /** It must hold now. */
  readonly now: Expect;
  print(text: string): void;
  show(text: string): void;
  /** `Synced=True ReconcileSuccess, Ready=True Available` */
  conditions(name: MappingName): Promise<string>;
  /** Waits until a mapping is Ready and Synced; returns the seconds that it took. */
  untilHealthy(name: MappingName): Promise<number>;
  /** The message of Synced; empty if it has none. */
  message(name: MappingName): Promise<string>;
  /** The objects that Synced names as missing: `ServiceInstance shop/orders-db, …` */
  waitsFor(name: MappingName): Promise<string>;
  /** HANA Cloud has these mappings of a database, and no other: `kyma-1/shop, kyma-1/checkout (default)` */
  stored(database: Pick<Database, 'name' | 'instanceID'>, mappings: string, expect?: Expect): Promise<void>;
  /** The client behind the last such call that HANA Cloud granted: an identifier, not a secret. */
  lastClient(instanceID: string, route: 'list' | 'create'): string;
  isKnown(client: string): boolean;
  /** Waits until the last list of mappings came from a client other than `before`, which HANA Cloud knows. */
  untilNewClient(instanceID: string, before: string): Promise<void>;
  /** Requests a reconcile by annotation, as users do, instead of waiting for the next poll. */
  requestReconcile(name: MappingName): Promise<void>;
  /** Runs `provider-kyma doctor` for a mapping. */
  doctor(name: MappingName): Promise<{ readonly code: number | null; readonly text: string }>;
  /** Whether it exists: `there`, or `gone`. */
  presence(cluster: Objects, type: ResourceType, key: ObjectKey): Promise<string>;
  /** Deletes it, and waits until it is gone. */
  deleteAndWait(cluster: Objects, type: ResourceType, key: ObjectKey): Promise<void>;
  /** Seconds until each mapping was Ready, from when all it needs was there. */
  readonly readyAfter: Map<string, number>;
}

export interface ContextOptions {
  readonly environment: DemoEnvironment;
  readonly print: (text: string) => void;
  readonly show: (text: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 20_000;

export const healthy = 'Synced=True ReconcileSuccess, Ready=True Available';

export const doctorArguments = (mapping: string, kubeconfigPath: string): string[] => {
  const flags = ['--kubeconfig', kubeconfigPath, '--allow-private-endpoints'];
  return ['doctor', mapping, ...flags];
};

export function createContext({ environment, clock, signal, ...output }: ContextOptions): Context {
  const { management, simulator, env, planes } = environment;
  const conditionsOf = async (name: MappingName) =>
    (await management.get(kymaInstanceMappings, { name })).status?.conditions ?? [];
  const conditions = async (name: MappingName) => conditionsText(await conditionsOf(name));
  const message = async (name: MappingName) =>
    (await conditionsOf(name)).find(({ type }) => type === 'Synced')?.message ?? '';
  const until: Expect = (...args) => untilMet(...args, { timeoutMs: TIMEOUT_MS, signal });
  const isKnown = (client: string) => simulator.store.client(client) !== undefined;
  const lastClient: Context['lastClient'] = (instance, route) => {
    const granted = simulator.requests({ instance, route }).filter(({ status = 0 }) => status < 300);
    return granted.at(-1)?.clientID ?? '';
  };
  const now: Expect = (...args) => untilMet(...args, { timeoutMs: 0, signal });
  const presence: Context['presence'] = async (cluster, type, key) =>
    (await cluster.find(type, key)) === undefined ? 'gone' : 'there';
  return {
    ...environment,
    ...output,
    until,
    now,
    conditions,
    untilHealthy: async (name) => {
      const startedAt = clock.monotonic();
      await until(`the conditions of ${name}`, () => conditions(name), healthy);
      return (clock.monotonic() - startedAt) / 1000;
    },
    message,
    waitsFor: async (name) => missingObjects(await message(name)).join(', '),
    stored: ({ name, instanceID }, mappings, expect = now) =>
      expect(
        `HANA Cloud’s mappings of ${name}`,
        () => simulator.store.mappings(instanceID).map(mappingText).sort().join(', '),
        mappings,
      ),
    lastClient,
    isKnown,
    untilNewClient: (instanceID, before) => {
      const expected = 'a new one, known to HANA Cloud';
      const client = () => {
        const last = lastClient(instanceID, 'list');
        return last !== before && isKnown(last) ? expected : last;
      };
      return until('the client behind the last list of mappings', client, expected);
    },
    requestReconcile: async (name) => {
      const annotations = { [annotationReconcileRequestedAt]: new Date(clock.now()).toISOString() };
      await management.patch(kymaInstanceMappings, { name }, { metadata: { annotations } });
    },
    doctor: async (name) => {
      const args = doctorArguments(name, planes.management.kubeconfigPath);
      const { code, out, err } = await runProvider(args, { env, signal });
      return { code, text: `${out}${err}` };
    },
    presence,
    deleteAndWait: async (cluster, type, key) => {
      await cluster.delete(type, key);
      await until(`${type.kind} ${keyString(key)}`, () => presence(cluster, type, key), 'gone');
    },
    readyAfter: new Map(),
  };
}

/** The conditions of the demo; a resource may have others. */
const conditionsText = (conditions: readonly Pick<Condition, 'type' | 'status' | 'reason'>[]): string =>
  conditions
    .filter(({ type }) => type === 'Synced' || type === 'Ready')
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
    .join(', ');

/** The objects that a condition's message names. */
const missingObjects = (message: string): string[] =>
  message.match(/\b(ServiceInstance|ServiceBinding|ConfigMap) [^\s:;,]+/g) ?? [];

const mappingText = ({ primaryID, secondaryID, isDefault }: Mapping): string =>
  `${primaryID}/${secondaryID ?? ''}${isDefault ? ' (default)' : ''}`;

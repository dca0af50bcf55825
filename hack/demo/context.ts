import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { Clock } from '../../internal/base/time/clock.ts';
import type { Condition } from '../../internal/runtime/resource/managed.ts';
import { annotationReconcileRequestedAt } from '../../internal/runtime/resource/meta.ts';
import type { Mapping } from '../../test/simulators/hana-cloud/store.ts';
import type { Database } from './environment/databases.ts';
import type { DemoEnvironment } from './environment/environment.ts';
import type { MappingName } from './environment/mappings.ts';
import { createDoctor, type Doctor } from './provider/doctor.ts';
import type { ProviderCommand } from './provider/provider-command.ts';
import { type Expectation, untilMet } from './run/expectation.ts';

/** The context of a step. Assertions use HANA Cloud's own store and objects of the API, as texts. */
export interface Context extends DemoEnvironment {
  /** Waits until it holds, with a time-out for a busy machine. */
  until(expectation: Expectation): Promise<string>;
  /** It must hold now. */
  now(expectation: Expectation): Promise<string>;
  /** What the work took, in seconds. */
  secondsOf(work: () => Promise<unknown>): Promise<number>;
  readonly doctor: Doctor;
  print(text: string): void;
  show(text: string): void;

  mapping(name: MappingName): Promise<KymaInstanceMapping>;
  /** `Synced=True ReconcileSuccess, Ready=True Available` */
  conditions(name: MappingName): Promise<string>;
  /** The objects that Synced names as missing: `ServiceInstance shop/orders-db, …` */
  waitsFor(name: MappingName): Promise<string>;
  /** The mappings that HANA Cloud has of a database: `kyma-1/shop, kyma-1/checkout (default)` */
  stored(database: Database): string;
  /** Requests a reconcile by annotation, as users do, instead of waiting for the next poll. */
  requestReconcile(name: MappingName): Promise<void>;
  /** Seconds until each mapping was Ready, from when all it needs was there. */
  readonly readyAfter: Map<MappingName, number>;
}

export interface ContextOptions {
  readonly environment: DemoEnvironment;
  readonly command: ProviderCommand;
  readonly print: (text: string) => void;
  readonly show: (text: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 20_000;

export const healthy = 'Synced=True ReconcileSuccess, Ready=True Available';

export function createContext({ environment, command, clock, signal, ...output }: ContextOptions): Context {
  const { management, simulator, env, planes } = environment;
  const { kubeconfigPath } = planes.management;
  const mapping = (name: MappingName) => management.get(kymaInstanceMappings, { name });
  return {
    ...environment,
    ...output,
    until: (expectation) => untilMet(expectation, { timeoutMs: PATIENCE_MS, signal }),
    now: (expectation) => untilMet(expectation, { timeoutMs: 0, signal }),
    secondsOf: async (work) => {
      const startedAt = clock.monotonic();
      await work();
      return (clock.monotonic() - startedAt) / 1000;
    },
    doctor: createDoctor({ command, kubeconfigPath, env, signal }),
    mapping,
    conditions: async (name) => conditionsText((await mapping(name)).status?.conditions),
    waitsFor: async (name) => {
      const synced = (await mapping(name)).status?.conditions?.find(({ type }) => type === 'Synced');
      return missingObjects(synced?.message ?? '').join(', ');
    },
    stored: ({ instanceID }) => simulator.store.mappings(instanceID).map(mappingText).sort().join(', '),
    requestReconcile: async (name) => {
      const annotations = { [annotationReconcileRequestedAt]: new Date(clock.now()).toISOString() };
      await management.patch(kymaInstanceMappings, { name }, { metadata: { annotations } });
    },
    readyAfter: new Map(),
  };
}

/** The conditions of the demo; a resource may have others. */
const shown: ReadonlySet<string> = new Set(['Synced', 'Ready']);

export const conditionsText = (
  conditions: readonly Pick<Condition, 'type' | 'status' | 'reason'>[] = [],
): string =>
  conditions
    .filter(({ type }) => shown.has(type))
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
    .join(', ');

/** The objects that a condition's message names. */
export const missingObjects = (message: string): string[] =>
  message.match(/\b(ServiceInstance|ServiceBinding|ConfigMap) [^\s:;,]+/g) ?? [];

export const mappingText = ({ primaryID, secondaryID, isDefault }: Mapping): string =>
  `${primaryID}/${secondaryID ?? ''}${isDefault ? ' (default)' : ''}`;

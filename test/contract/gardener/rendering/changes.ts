/** Runtimes before and after a change. */
import type { Worker } from '../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { MACHINE_TYPES, type ProviderType } from '../../../environment/gardener/catalog.ts';
import { additionalPools, pool, runtimeOf, type ShootChange, zonesOf } from './choices.ts';

/** What a user changes in a Runtime that has a main pool and an additional one. */
export interface Change {
  readonly title: string;
  /** The pools, of which there were a main and an additional one. Default: as before. */
  readonly pools?: (
    before: readonly [main: Worker, extra: Worker],
    type: ProviderType,
    next: string,
  ) => Worker[];
  readonly shoot?: ShootChange;
  readonly spec?: Partial<RuntimeSpec>;
  /** Zones that the Shoot must have; default 1. */
  readonly needsZones?: number;
  /** Whether a zone must be left that the Shoot has not. */
  readonly needsZone?: boolean;
  /** Whether the region has a tenant of audit logs now; default false. */
  readonly hasAudit?: boolean;
  /** Whether the spec of the Shoot stays as it is. */
  readonly isNone?: boolean;
}

const egress: Partial<RuntimeSpec> = {
  security: {
    administrators: [],
    networking: { filter: { egress: { enabled: true }, ingress: { enabled: true } } },
  },
};

const changes: readonly Change[] = [
  { title: 'nothing', isNone: true },
  {
    title: 'the machine type',
    pools: ([main, extra], type) => [
      { ...main, machine: { ...main.machine, type: MACHINE_TYPES[type][1] ?? '' } },
      extra,
    ],
  },
  {
    title: 'the limits of the autoscaler, and the image',
    pools: ([main, extra]) => [
      {
        ...main,
        maximum: 30,
        machine: { ...main.machine, image: { name: 'gardenlinux', version: '1592.2.0' } },
      },
      extra,
    ],
  },
  {
    title: 'an older image, which stays as it is',
    isNone: true,
    pools: ([main, extra]) => [
      { ...main, machine: { ...main.machine, image: { name: 'gardenlinux', version: '1591.1.0' } } },
      extra,
    ],
  },
  {
    title: 'the zones of the additional pool, of which none goes',
    needsZones: 2,
    pools: ([main, extra]) => [main, { ...extra, zones: [...(main.zones ?? [])].reverse() }],
  },
  { title: 'the additional pool, which goes', pools: ([main]) => [main] },
  {
    title: 'a further pool before the others',
    pools: ([main, extra], type) => [
      main,
      pool(type, (main.zones ?? []).slice(-1), { name: 'a-first', minimum: 0 }),
      extra,
    ],
  },
  {
    title: 'a further pool in a new zone',
    needsZone: true,
    pools: ([main, extra], type, next) => [main, extra, pool(type, [next], { name: 'new', minimum: 0 })],
  },
  {
    title: 'a new zone of the main pool',
    needsZone: true,
    pools: ([main, extra], _, next) => [{ ...main, zones: [next, ...(main.zones ?? [])] }, extra],
  },
  {
    title: 'the filters, the purpose and the licence',
    spec: egress,
    shoot: { purpose: 'development', licenceType: 'x' },
  },
  { title: 'Kubernetes', shoot: { kubernetes: { version: '1.31.8' } } },
  {
    title: 'an older Kubernetes, which stays as it is',
    isNone: true,
    shoot: { kubernetes: { version: '1.29.14' } },
  },
  { title: 'audit logs', hasAudit: true },
];

/** The first zone of the region that the Shoot has not; empty if it has all. */
const nextZone = (type: ProviderType, count: number): string =>
  // The size of a subnet on gdch follows from their number.
  type === 'gdch' ? '' : (zonesOf(type)[count] ?? '');

/** The Runtime after the change. */
export function runtimeAfter(type: ProviderType, name: string, count: number, change: Change): Runtime {
  const zones = zonesOf(type).slice(0, count);
  const before = [pool(type, zones), ...additionalPools(type, zones, 1)] as [Worker, Worker];
  const pools = change.pools?.(before, type, nextZone(type, count)) ?? before;
  return runtimeOf(type, name, pools, change.shoot, change.spec);
}

/** The changes that are possible with as many zones. */
export const changesWith = (type: ProviderType, count: number): readonly Change[] =>
  changes.filter(({ needsZone, needsZones = 1 }) => {
    const hasNext = nextZone(type, count) !== '';
    return (needsZone !== true || hasNext) && count >= needsZones;
  });

import { expect } from '@jest/globals';
import { type Shoot, shoots, type Worker } from '../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { createShootRendering } from '../../../../internal/controllers/infrastructure-manager/rendering/shoot-rendering.ts';
import { MACHINE_TYPES, PROVIDERS, type ProviderType } from '../../../environment/gardener/catalog.ts';
import { type ContractCase, type GardenerServer, uniqueShootName } from '../contract-case.ts';
import { additionalPools, configurationOf, pool, runtimeOf, tenant, zonesOf } from './choices.ts';

interface Change {
  readonly title: string;
  /** The pools, of which there were a main and an additional one. Default: as before. */
  readonly pools?: (
    before: readonly [main: Worker, extra: Worker],
    type: ProviderType,
    next: string,
  ) => Worker[];
  readonly shoot?: Partial<Omit<RuntimeSpec['shoot'], 'provider'>>;
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

const nextZone = (type: ProviderType, count: number): string => zonesOf(type)[count] ?? '';

function runtimeAfter(type: ProviderType, name: string, count: number, change: Change): Runtime {
  const zones = zonesOf(type).slice(0, count);
  const before = [pool(type, zones), ...additionalPools(type, zones, 1)] as [Worker, Worker];
  const pools = change.pools?.(before, type, nextZone(type, count)) ?? before;
  return runtimeOf(type, name, pools, change.shoot, change.spec);
}

/** The Shoot that all changes of a provider and number of zones begin with. */
const created = new WeakMap<GardenerServer['client'], Map<string, Promise<Shoot>>>();

function createdShoot(server: GardenerServer, type: ProviderType, count: number): Promise<Shoot> {
  const shared = created.get(server.client) ?? new Map<string, Promise<Shoot>>();
  created.set(server.client, shared);
  const key = `${type} ${count}`;
  const runtime = runtimeAfter(type, uniqueShootName(), count, { title: 'nothing' });
  const found =
    shared.get(key) ??
    server.client.create(
      shoots,
      createShootRendering(configurationOf(server.project)).create(runtime, undefined),
    );
  shared.set(key, found);
  return found;
}

async function assertAccepted(server: GardenerServer, type: ProviderType, count: number, change: Change) {
  const live = await createdShoot(server, type, count);
  const rendering = createShootRendering(configurationOf(server.project));
  const runtime = runtimeAfter(type, live.metadata.name, count, change);
  const patch = rendering.patch(runtime, live, change.hasAudit === true ? tenant : undefined);
  if (live.spec === undefined || patch.spec === undefined) throw new Error('a Shoot without spec');
  const { managedFields: _, ...metadata } = live.metadata;
  const spec = {
    ...live.spec,
    ...patch.spec,
    kubernetes: { ...live.spec.kubernetes, ...patch.spec.kubernetes },
  };
  const updated = await server.client.update(shoots, { ...live, metadata, spec }, { dryRun: true });
  // Gardener knows every field and changes none.
  expect(updated.spec).toMatchObject(patch.spec);
  const isChanged = updated.metadata.generation !== live.metadata.generation;
  expect(isChanged).toBe(change.isNone !== true);
  const applied = await server.client.apply(shoots, patch, {
    fieldManager: 'kim',
    force: true,
    dryRun: true,
  });
  expect(applied.spec?.dns).toEqual(live.spec.dns);
  if (change.isNone === true) expect(applied.metadata.generation).toBe(live.metadata.generation);
}

/** Each provider with each number of zones, changed in each way. */
export const patchCases: readonly ContractCase[] = PROVIDERS.flatMap((type) =>
  zonesOf(type).flatMap((_, index) =>
    changes
      .filter(({ needsZone, needsZones = 1 }) => {
        const hasNext = nextZone(type, index + 1) !== '';
        return (needsZone !== true || hasNext) && index + 1 >= needsZones;
      })
      .map(
        (change): ContractCase => ({
          title: `on ${type}, with zones: ${index + 1}, a change of ${change.title}`,
          run: (server) => assertAccepted(server, type, index + 1, change),
        }),
      ),
  ),
);

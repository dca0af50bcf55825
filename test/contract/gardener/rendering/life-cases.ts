import { expect } from '@jest/globals';
import { type Shoot, type ShootSpec, shoots } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { valueAt } from '../../../../internal/framework/base/json/json-value.ts';
import { isConflict } from '../../../../internal/framework/kube/index.ts';
import { createShootRendering } from '../../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { MACHINE_TYPES, PROVIDERS, type ProviderType } from '../../../environment/gardener/catalog.ts';
import { type ContractCase, type GardenerServer, uniqueShootName } from '../contract-case.ts';
import { configurationOf, pool, runtimeOf, tenant, zonesOf } from './choices.ts';
import { createShoot } from './patch-cases.ts';

/** What happens to a Runtime, one after another. */
function historyOf(type: ProviderType, name: string): Runtime[] {
  // On gdch no zone can be added.
  const zones = type === 'gdch' ? zonesOf(type).slice(0, 2) : zonesOf(type);
  const first = type === 'gdch' ? zones : zones.slice(1, 2);
  const machine = { type: MACHINE_TYPES[type][1] ?? '', image: { name: 'gardenlinux', version: '1591.1.0' } };
  const extra = (more: string[]) =>
    pool(type, more.length === 0 ? zones.slice(-1) : more, { name: 'extra', minimum: 0 });
  return [
    runtimeOf(type, name, [pool(type, first)]),
    runtimeOf(type, name, [pool(type, first, { machine })]),
    runtimeOf(type, name, [pool(type, first, { machine, maximum: 40 })]),
    runtimeOf(type, name, [pool(type, zones.slice(0, 3), { machine, maximum: 40 })]),
    runtimeOf(type, name, [pool(type, zones.slice(0, 3)), extra(zones.slice(3, 4))]),
    runtimeOf(type, name, [pool(type, zones.slice(0, 3))]),
    runtimeOf(type, name, [pool(type, zones.slice(0, 3)), extra(zones.slice(0, 4))]),
  ];
}

/** Changes the spec. The gardenlet writes the status meanwhile. */
async function update(
  server: GardenerServer,
  name: string,
  change: (spec: ShootSpec, live: Shoot) => ShootSpec,
): Promise<Shoot> {
  const live = await server.client.get(shoots, { namespace: server.namespace, name });
  if (live.spec === undefined) throw new Error('a Shoot without spec');
  const { managedFields: _, ...metadata } = live.metadata;
  try {
    return await server.client.update(shoots, { ...live, metadata, spec: change(live.spec, live) });
  } catch (error) {
    if (!isConflict(error)) throw error;
    return update(server, name, change);
  }
}

/** Replaces worker pools by an update, then applies: what server-side apply keeps has to go first. */
async function patch(server: GardenerServer, name: string, runtime: Runtime): Promise<Shoot> {
  const rendering = createShootRendering(configurationOf(server.project));
  const updated = await update(server, name, (spec, live) => ({
    ...spec,
    provider: { ...spec.provider, ...rendering.patch(runtime, live, { audit: tenant }).spec?.provider },
  }));
  const wanted = rendering.patch(runtime, updated, { audit: tenant });
  return server.client.apply(shoots, wanted, { fieldManager: 'kim', force: true });
}

/** Gardener upgrades by itself. */
const upgrade = (server: GardenerServer, name: string): Promise<Shoot> =>
  update(server, name, (spec) => ({ ...spec, kubernetes: { ...spec.kubernetes, version: '1.31.8' } }));

const networksOf = ({ spec }: Shoot): readonly unknown[] => {
  const zones = valueAt(spec?.provider.infrastructureConfig, ['networks', 'zones']);
  return Array.isArray(zones) ? zones : [];
};

/** Networks with zones of their own. */
const NETWORKS: Readonly<Record<ProviderType, number>> = {
  ...{ aws: 4, azure: 4, alicloud: 4, gdch: 2 },
  ...{ gcp: 0, openstack: 0 },
};

async function live(server: GardenerServer, type: ProviderType): Promise<void> {
  const [first, ...others] = historyOf(type, uniqueShootName());
  if (first === undefined) throw new Error('no history');
  const created = await createShoot(server, first, { audit: tenant });
  const { name } = created.metadata;
  let shoot = await upgrade(server, name);
  for (const runtime of others) {
    const before = networksOf(shoot);
    shoot = await patch(server, name, runtime);
    expect(networksOf(shoot).slice(0, before.length)).toEqual(before);
    expect(shoot.spec?.kubernetes.version).toBe('1.31.8');
    const again = await patch(server, name, runtime);
    expect(again.metadata.generation).toBe(shoot.metadata.generation);
  }
  expect(networksOf(shoot)).toHaveLength(NETWORKS[type]);
  expect(shoot.spec?.dns).toEqual(created.spec?.dns);
}

/** The life of a Shoot of each provider, of which Gardener accepts each step. */
export const lifeCases: readonly ContractCase[] = PROVIDERS.map((type) => ({
  title: `the life of a Shoot on ${type}: a patch has an effect once, and zones keep their subnets`,
  run: (server) => live(server, type),
}));

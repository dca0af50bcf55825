import { expect } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { configMaps } from '../../../../internal/framework/kube/index.ts';
import type { RenderingFacts } from '../../../../internal/systems/infrastructure-manager/rendering/model/extender.ts';
import { createShootRendering } from '../../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { PROVIDERS, type ProviderType } from '../../../environment/gardener/catalog.ts';
import { type ContractCase, type GardenerServer, uniqueShootName } from '../contract-case.ts';
import { type Change, changesWith, runtimeAfter } from './changes.ts';
import { configurationOf, tenant, zonesOf } from './choices.ts';

/** A Shoot, with the ConfigMap that it refers to. */
export async function createShoot(
  server: GardenerServer,
  runtime: Runtime,
  facts: RenderingFacts = {},
): Promise<Shoot> {
  const rendering = createShootRendering(configurationOf(server.project));
  await server.client.create(configMaps, rendering.authenticationConfig(runtime));
  return server.client.create(shoots, rendering.create(runtime, facts));
}

/** The Shoot that all changes of a provider and number of zones begin with. */
const created = new WeakMap<GardenerServer['client'], Map<string, Promise<Shoot>>>();

function createdShoot(server: GardenerServer, type: ProviderType, count: number): Promise<Shoot> {
  const shared = created.get(server.client) ?? new Map<string, Promise<Shoot>>();
  created.set(server.client, shared);
  const key = `${type} ${count}`;
  const runtime = runtimeAfter(type, uniqueShootName(), count, { title: 'nothing' });
  const found = shared.get(key) ?? createShoot(server, runtime);
  shared.set(key, found);
  return found;
}

async function assertAccepted(server: GardenerServer, type: ProviderType, count: number, change: Change) {
  const live = await createdShoot(server, type, count);
  const rendering = createShootRendering(configurationOf(server.project));
  const runtime = runtimeAfter(type, live.metadata.name, count, change);
  const patch = rendering.patch(runtime, live, {
    audit: change.hasAudit === true ? tenant : undefined,
  });
  if (live.spec === undefined || patch.spec === undefined) throw new Error('a Shoot without spec');
  const { managedFields: _, ...metadata } = live.metadata;
  const spec = {
    ...live.spec,
    ...patch.spec,
    // What only a new Shoot gets, stays.
    networking: { ...live.spec.networking, ...patch.spec.networking },
    kubernetes: {
      ...live.spec.kubernetes,
      ...patch.spec.kubernetes,
      kubeAPIServer: {
        ...live.spec.kubernetes.kubeAPIServer,
        ...patch.spec.kubernetes.kubeAPIServer,
      },
    },
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
    changesWith(type, index + 1).map(
      (change): ContractCase => ({
        title: `on ${type}, with zones: ${index + 1}, a change of ${change.title}`,
        run: (server) => assertAccepted(server, type, index + 1, change),
      }),
    ),
  ),
);

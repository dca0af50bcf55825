import { expect } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { createShootRendering } from '../../../../internal/controllers/infrastructure-manager/rendering/shoot-rendering.ts';
import { configMaps } from '../../../../internal/kube/index.ts';
import { PROVIDERS, type ProviderType } from '../../../environment/gardener/catalog.ts';
import { type ContractCase, type GardenerServer, uniqueShootName } from '../contract-case.ts';
import { configurationOf, tenant, zonesOf } from './choices.ts';
import { type Plan, plans, runtimeOfPlan } from './plans.ts';

/** The Shoot of a Runtime of the plan, with the ConfigMap that it refers to. */
async function renderedOf(
  server: GardenerServer,
  type: ProviderType,
  count: number,
  plan: Plan,
): Promise<Shoot> {
  const { ownDns = true, structuredAuth = false, hasAudit = false } = plan;
  const runtime = runtimeOfPlan(type, uniqueShootName(), count, plan);
  const rendering = createShootRendering(configurationOf(server.project, { ownDns }), { structuredAuth });
  if (structuredAuth) await server.client.create(configMaps, rendering.authenticationConfig(runtime));
  return rendering.create(runtime, hasAudit ? tenant : undefined);
}

/** Each provider with each number of zones and each plan. */
export const createCases: readonly ContractCase[] = PROVIDERS.flatMap((type) =>
  zonesOf(type).flatMap((_, index) =>
    plans.map(
      (plan): ContractCase => ({
        title: `a Shoot ${plan.title} on ${type}, with zones: ${index + 1}`,
        run: async (server) => {
          const shoot = await renderedOf(server, type, index + 1, plan);
          const accepted = await server.client.create(shoots, shoot, { dryRun: true });
          // Gardener knows every field and changes none.
          expect(accepted).toMatchObject(shoot);
        },
      }),
    ),
  ),
);

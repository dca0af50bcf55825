import { expect } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { configMaps } from '../../../../internal/framework/kube/index.ts';
import { createShootRendering } from '../../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
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
  const { ownDns = true, hasAudit = false, enableCredentialBinding = false } = plan;
  const runtime = runtimeOfPlan(type, uniqueShootName(), count, plan);
  const rendering = createShootRendering(
    configurationOf(server.project, { ownDns, enableCredentialBinding }),
  );
  await server.client.create(configMaps, rendering.authenticationConfig(runtime));
  return rendering.create(runtime, { audit: hasAudit ? tenant : undefined });
}

/** Gardener before 1.135 knows only the older name of the credentials of a DNS provider, and leaves out the other one. */
export function asKnownTo(accepted: Shoot, shoot: Shoot): Shoot {
  const { spec } = shoot;
  const { dns } = spec ?? {};
  const [known] = accepted.spec?.dns?.providers ?? [];
  if (spec === undefined || dns?.providers === undefined || known?.credentialsRef !== undefined) return shoot;
  const providers = dns.providers.map(({ credentialsRef: _, ...provider }) => provider);
  return { ...shoot, spec: { ...spec, dns: { ...dns, providers } } };
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
          expect(accepted).toMatchObject(asKnownTo(accepted, shoot));
        },
      }),
    ),
  ),
);

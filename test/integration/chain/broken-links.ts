import { outcomes } from '../../simulators/gardener/gardenlet/stages.ts';
import { refusal } from '../../simulators/gardener/server/server-faults.ts';
import type { ChainEnvironment } from './chain-environment.ts';

export interface BrokenLink {
  /** What the composite resource says meanwhile. */
  readonly reason: RegExp;
  mend(): void;
}

/** Breaks every link of the chain; in the order in which they are met. */
export async function brokenLinks(environment: ChainEnvironment): Promise<readonly BrokenLink[]> {
  const { gardener, gardenerServer, runtimeServer, mothership, serviceManager, hanaCloud } = environment;
  const unavailable = refusal(503, 'ServiceUnavailable');
  const down = gardenerServer.faults.add({ on: { route: 'shoots', method: 'POST' }, do: unavailable });
  const noKubeconfig = gardenerServer.faults.add({
    on: { route: 'shoots/adminkubeconfig' },
    do: unavailable,
  });
  gardener.gardenlet.rules.add({
    on: { operation: 'Create', first: 1 },
    stages: outcomes.failed('ERR_INFRA_QUOTA_EXCEEDED'),
  });
  const reachRuntime = runtimeServer.cut();
  const reachMothership = mothership.cut();
  const noInstances = serviceManager.faults.add({
    on: { route: 'createInstance' },
    do: { kind: 'unavailable' },
  });
  const noMappings = hanaCloud.faults.add({ on: {}, do: { kind: 'unavailable' } });
  return [
    { reason: /^Runtime: .*503/, mend: () => down.remove() },
    { reason: /^Runtime: .*retry/, mend: () => void gardener.gardenlet.begin('shop') },
    { reason: /^Runtime: .*kubeconfig/, mend: () => noKubeconfig.remove() },
    { reason: /^Runtime: /, mend: reachRuntime },
    { reason: /^KymaCluster shop: /, mend: reachMothership },
    { reason: /^Object shop-(database|access): /, mend: () => noInstances.remove() },
    { reason: /^KymaInstanceMapping shop: /, mend: () => noMappings.remove() },
  ];
}

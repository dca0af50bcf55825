import { shoots } from '../../../apis/gardener/kinds.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Stage } from '../../compositions/stages.ts';
import { outcomes } from '../../simulators/gardener/gardenlet/stages.ts';
import { refusal } from '../../simulators/gardener/server/server-faults.ts';
import { type ChainEnvironment, NAMESPACE } from './chain-environment.ts';

export interface BrokenLink {
  /** What the composite resource says meanwhile. */
  readonly reason: RegExp;
  /** Tells it from links with the same reason. */
  readonly isMet?: () => boolean | Promise<boolean>;
  /** Recorded before it is repaired. */
  readonly stage?: Exclude<Stage, 'composed'>;
  repair(): void;
}

const RETRYABLE = /^Runtime: Retryable gardener errors/;
const shootOf = ({ gardener }: ChainEnvironment) => gardener.client.peekAll(shoots)[0];

/** Gardener gives up the creation of the Shoot. */
export function failFirstShoot(environment: ChainEnvironment): BrokenLink {
  const { gardenlet } = environment.gardener;
  gardenlet.rules.add({
    on: { operation: 'Create', first: 1 },
    stages: outcomes.failed('ERR_INFRA_QUOTA_EXCEEDED'),
  });
  return {
    reason: RETRYABLE,
    isMet: () => shootOf(environment)?.status?.lastOperation?.state === 'Failed',
    stage: 'provisioning',
    repair: () => void gardenlet.begin('shop'),
  };
}

/** Breaks every link of the chain; in the order in which they are met. */
export function brokenLinks(environment: ChainEnvironment): readonly BrokenLink[] {
  const { objects, gardenerServer, runtimeServer, mothership, serviceManager, hanaCloud } = environment;
  const unavailable = refusal(503, 'ServiceUnavailable');
  const down = gardenerServer.faults.add({ on: { route: 'shoots', method: 'POST' }, do: unavailable });
  const noKubeconfig = gardenerServer.faults.add({
    on: { route: 'shoots/adminkubeconfig' },
    do: unavailable,
  });
  const failedShoot = failFirstShoot(environment);
  const reachRuntime = runtimeServer.refuse();
  const reachMothership = mothership.refuse();
  const noInstances = serviceManager.faults.add({
    on: { route: 'createInstance' },
    do: { kind: 'unavailable', retryAfter: '5' },
  });
  const noMappings = hanaCloud.faults.add({ on: {}, do: { kind: 'unavailable', retryAfter: '5' } });
  const kubeconfig = { namespace: NAMESPACE, name: 'kubeconfig-shop' };
  const hasKubeconfig = async () => (await objects.find(secrets, kubeconfig)) !== undefined;
  return [
    { reason: RETRYABLE, isMet: () => shootOf(environment) === undefined, repair: () => down.remove() },
    failedShoot,
    { reason: /^Runtime: .*kubeconfig/i, repair: () => noKubeconfig.remove() },
    { reason: /^Runtime: /, isMet: hasKubeconfig, repair: reachRuntime },
    { reason: /^KymaCluster shop: /, stage: 'connected', repair: reachMothership },
    { reason: /^Object shop-(database|access): /, repair: () => noInstances.remove() },
    { reason: /^KymaInstanceMapping shop: /, stage: 'waiting', repair: () => noMappings.remove() },
  ];
}

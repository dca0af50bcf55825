/** Runtimes as the plans of the broker make them. */
import type { Worker } from '../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ProviderType } from '../../../environment/gardener/catalog.ts';
import { additionalPools, pool, runtimeOf, type ShootChange, zonesOf } from './choices.ts';

/** What a plan of the broker makes of a Runtime. */
export interface Plan {
  readonly title: string;
  readonly shoot?: ShootChange;
  readonly spec?: Partial<RuntimeSpec>;
  /** Of the main pool. */
  readonly worker?: Partial<Worker>;
  /** Pools beside the main one. */
  readonly additional?: number;
  /** Whether the main pool names an image; default true. */
  readonly hasImage?: boolean;
  readonly hasAudit?: boolean;
  readonly ownDns?: boolean;
  /** Whether bindings are CredentialsBindings; default false. */
  readonly enableCredentialBinding?: boolean;
}

const filter = (egress: boolean, ingress: boolean): Partial<RuntimeSpec> => ({
  security: {
    administrators: [],
    networking: { filter: { egress: { enabled: egress }, ingress: { enabled: ingress } } },
  },
});

export const plans: readonly Plan[] = [
  {
    title: 'productive',
    hasAudit: true,
    shoot: { controlPlane: { highAvailability: { failureTolerance: { type: 'zone' } } } },
  },
  {
    title: 'in the EU only, with filters',
    hasAudit: true,
    shoot: { platformRegion: 'cf-eu11', licenceType: 'TestDevelopmentAndDemo', enforceSeedLocation: true },
    spec: filter(true, true),
  },
  {
    title: 'for trial, without any version',
    shoot: { purpose: 'evaluation', kubernetes: {} },
    spec: filter(true, false),
    hasImage: false,
  },
  {
    title: 'with two more pools',
    hasAudit: true,
    additional: 2,
    worker: {
      labels: { tier: 'main' },
      annotations: { note: 'main' },
      taints: [{ key: 'dedicated', value: 'main', effect: 'PreferNoSchedule' }],
    },
  },
  {
    title: 'with domains of Gardener',
    ownDns: false,
    shoot: {
      purpose: 'development',
      networking: { nodes: '10.180.0.0/23', pods: '10.96.0.0/13', services: '10.104.0.0/13', type: 'calico' },
    },
  },
  {
    title: 'as the broker of 2026 writes it',
    hasAudit: true,
    enableCredentialBinding: true,
    shoot: {
      platformRegion: 'cf-eu01',
      enableNvidiaOpenshell: true,
      kubernetes: { kubeAPIServer: { acl: { allowedCIDRs: ['9.9.9.9/32'] }, additionalOidcConfig: [] } },
    },
    worker: {
      cri: { name: 'containerd', containerRuntimes: [{ type: 'gvisor' }] },
      kubernetes: { kubelet: { maxPods: 500 } },
    },
  },
  {
    title: 'with Kubernetes 1.32',
    shoot: {
      kubernetes: { version: '1.32.4' },
      networking: { nodes: '10.180.0.0/22', pods: '10.96.0.0/13', services: '10.104.0.0/13', type: 'cilium' },
    },
  },
];

/** A Runtime of the plan, with as many zones. */
export function runtimeOfPlan(type: ProviderType, name: string, count: number, plan: Plan): Runtime {
  const zones = zonesOf(type).slice(0, count);
  const main = pool(type, zones, plan.worker);
  const { image: _, ...machine } = main.machine;
  const pools = [
    plan.hasImage === false ? { ...main, machine } : main,
    ...additionalPools(type, zones, plan.additional ?? 0),
  ];
  return runtimeOf(type, name, pools, plan.shoot, plan.spec);
}

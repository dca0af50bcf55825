import type { Shoot, ShootSpec, Worker } from '../../../../apis/gardener/kinds.ts';
import { mergePatch } from '../../../../internal/framework/kube/apply/patches.ts';

/** What Gardener 1.117 sets in a Shoot with workers that says nothing of it. */
const SHOOT = {
  addons: { kubernetesDashboard: { enabled: false, authenticationMode: 'token' } },
  kubernetes: {
    kubeAPIServer: {
      requests: { maxNonMutatingInflight: 400, maxMutatingInflight: 200 },
      enableAnonymousAuthentication: false,
      eventTTL: '1h0m0s',
      logging: { verbosity: 2 },
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
    },
    kubeControllerManager: { nodeCIDRMaskSize: 24, nodeMonitorGracePeriod: '40s' },
    kubeScheduler: { profile: 'balanced' },
    kubeProxy: { mode: 'IPTables', enabled: true },
    kubelet: {
      failSwapOn: true,
      kubeReserved: { cpu: '80m', memory: '1Gi', pid: '20k' },
      imageGCHighThresholdPercent: 50,
      imageGCLowThresholdPercent: 40,
      serializeImagePulls: true,
    },
  },
  networking: { ipFamilies: ['IPv4'] },
  maintenance: {
    autoUpdate: { kubernetesVersion: true, machineImageVersion: true },
    // Gardener draws one at random.
    timeWindow: { begin: '220000+0000', end: '230000+0000' },
  },
  purpose: 'evaluation',
  systemComponents: { coreDNS: { autoscaling: { mode: 'horizontal' } } },
  schedulerName: 'default-scheduler',
};

const WORKER = {
  cri: { name: 'containerd' },
  machine: { architecture: 'amd64' },
  maxSurge: 1,
  maxUnavailable: 0,
  systemComponents: { allow: true },
  updateStrategy: 'AutoRollingUpdate',
};

/** The Shoot with what it does not say; what it says stays. */
export function defaultedShoot(shoot: Shoot): Shoot {
  const spec = mergePatch(SHOOT, shoot.spec ?? {}) as ShootSpec;
  const workers = spec.provider.workers?.map((worker) => mergePatch(WORKER, worker) as Worker);
  const provider = workers === undefined ? spec.provider : { ...spec.provider, workers };
  return { ...shoot, spec: { ...spec, provider } };
}

import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient, type MemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import type { ChartCapabilities } from '../../../../templates/helm/index.ts';
import { uncountedCluster } from '../clusters/uncounted-cluster.ts';
import type { Charts, ComponentActions, Deployer, ManagedCluster, Manifest } from '../model/component.ts';
import { type RunnerSettings, runnerSettings } from '../model/settings.ts';
import type { CallbackMessage, Delivery, Task } from '../model/task.ts';
import type { RunTaskOptions } from './run-task.ts';

const manifest: Manifest = [
  {
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'rendered' } },
    source: 'chart/templates/config-map.yaml',
  },
];

/** A kubeconfig that leads to a server, which is all that the limits of tasks read. */
export const kubeconfigFor = (server: string, user = 'u'): string =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: user, user: { token: 't' } }],
  });

export const testTask = (changes: Partial<Task> = {}): Task => ({
  componentsReady: [],
  component: 'istio',
  namespace: 'kyma-system',
  version: '2.0.0',
  url: '',
  profile: '',
  configuration: {},
  kubeconfig: 'kubeconfig of a cluster',
  metadata: {
    globalAccountID: '',
    subAccountID: '',
    serviceID: '',
    servicePlanID: '',
    servicePlanName: '',
    shootName: '',
    instanceID: '',
    region: '',
  },
  callbackURL: 'http://mothership.example/v1/operations/s/callback/c?token=t',
  correlationID: 'c',
  repository: { url: '' },
  type: 'reconcile',
  componentConfiguration: { maxRetries: 2, debug: false },
  ...changes,
});

/** Parts in memory, that record what is done with them. */
export function createFakeParts() {
  const clock: FakeClock = createFakeClock();
  const client: MemoryClient = createMemoryClient({ clock });
  /** `deploy istio kyma-system`, in order. */
  const calls: string[] = [];
  const capabilitiesOfCharts: (ChartCapabilities | undefined)[] = [];
  /** By the files that the objects come from. */
  const deployed: { readonly sources: readonly string[]; readonly released: readonly string[] }[] = [];
  const reports: CallbackMessage[] = [];
  const answers: Delivery[] = [];
  let isClosed = false;
  const cluster: ManagedCluster = uncountedCluster({
    name: 'cluster.example',
    client,
    kinds: {
      find: async () => undefined,
      all: async () => [],
      apiVersions: async () => [],
      forget: () => undefined,
    },
    capabilities: async () => ({ kubeVersion: 'v1.30.1', apiVersions: ['v1', 'v1/Pod'] }),
    close: async () => {
      isClosed = true;
    },
  });
  const charts: Charts = {
    workspace: async () => ({ folder: '/workspace', chart: '/workspace/chart', revision: '1' }),
    render: async ({ component, configuration }, { capabilities }) => {
      calls.push(`render ${component} ${JSON.stringify(configuration)}`);
      capabilitiesOfCharts.push(capabilities);
      return manifest;
    },
    crds: async () =>
      ['istio/crd.yaml', 'serverless/crd.yaml'].flatMap((source) =>
        manifest.map((each) => ({ ...each, source })),
      ),
    values: async () => ({}),
  };
  const deployer: Deployer = {
    deploy: async ({ component, namespace }, objects, { released = [] }) => {
      calls.push(`deploy ${component} ${namespace} ${objects.length}`);
      deployed.push({
        sources: objects.map(({ source }) => source),
        released: released.map(({ source }) => source),
      });
    },
    remove: async ({ component, namespace }, objects) => {
      calls.push(`remove ${component} ${namespace} ${objects.length}`);
    },
  };
  const stopping = new AbortController();
  const aborting = new AbortController();
  const optionsFor = (actions: ComponentActions, settings: Partial<RunnerSettings> = {}): RunTaskOptions => ({
    clock,
    random: () => 0,
    log: nopLogger,
    actions,
    charts,
    deployer,
    openCluster: async () => cluster,
    callback: async (message) => {
      reports.push(message);
      return answers.shift() ?? 'delivered';
    },
    settings: runnerSettings(settings),
    skippedComponents: [],
    signal: stopping.signal,
    abort: aborting.signal,
  });
  return {
    clock,
    client,
    cluster,
    charts,
    deployer,
    calls,
    deployed,
    capabilitiesOfCharts,
    reports,
    /** What becomes of the next reports; then they are delivered. */
    answers,
    optionsFor,
    stopping,
    aborting,
    isClosed: () => isClosed,
    statuses: () => reports.map(({ status }) => status),
  };
}

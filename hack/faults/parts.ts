/** One part of `make test-faults`: tests that read how long they run, and with which seed, from the environment. */
export interface FaultPart {
  readonly name: string;
  readonly title: string;
  /** npm script: with Jest, or one that takes no paths. */
  readonly script: 'test:unit' | 'test:integration' | 'plant-faults';
  /** Beginnings of paths of test files, as arguments of Jest. */
  readonly jestArgs: readonly string[];
  /** One path after the other, for tests that compare what a program costs with what is usual. Default: side by side. */
  readonly alone?: true;
  /** Default number of runs of each property. */
  readonly runs: number;
}

const inFolder = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}`);

export const FAULT_PARTS: readonly FaultPart[] = [
  {
    name: 'inputs',
    title: 'a million inputs of parsers of foreign bytes',
    script: 'test:unit',
    jestArgs: ['test/inputs'],
    runs: 25_000,
  },
  {
    name: 'costly-inputs',
    title:
      'inputs of tenants and remote clusters that are meant to cost much: event loop, memory, and objects of others',
    script: 'test:integration',
    jestArgs: [
      'test/integration/btp/hostile-inputs',
      ...inFolder('test/integration/hardening', ['hostile-motherships', 'hostile-watches']),
    ],
    alone: true,
    runs: 200,
  },
  {
    name: 'hostile-tenants',
    title:
      'a tenant that does its worst beside two honest ones, with tasks and at the REST API: their time, and the memory',
    script: 'test:integration',
    jestArgs: [
      ...inFolder('test/integration/reconciler', ['components/hostile-tenant', 'mothership/hostile-client']),
    ],
    alone: true,
    runs: 200,
  },
  {
    name: 'honest-tenants',
    title:
      'what two honest tenants ask of each system beside one that does its worst: their time, and the memory of each program',
    script: 'test:integration',
    jestArgs: ['test/integration/hardening/hostile-tenants'],
    runs: 200,
  },
  {
    name: 'templates',
    title:
      'random templates, random arguments of each of their functions, and charts that are meant to cost much',
    script: 'test:unit',
    jestArgs: [
      'internal/templates/gotemplate/template.property',
      'internal/templates/gotemplate/functions/properties',
      'internal/systems/reconciler/components/charts/rendering/chart-jobs',
    ],
    runs: 3000,
  },
  {
    name: 'ownership',
    title: 'resources that move between shards, which stop, restart and hear late',
    script: 'test:unit',
    jestArgs: ['internal/framework/managed/any-reconciler/acquire-ownership'],
    runs: 1000,
  },
  {
    name: 'model',
    title: 'random changes and faults, compared with a model',
    script: 'test:integration',
    jestArgs: ['test/integration/model'],
    runs: 200,
  },
  {
    name: 'service-objects',
    title: 'random actions on ServiceInstances and ServiceBindings, for every invariant of campaigns',
    script: 'test:unit',
    jestArgs: ['test/campaign/btp'],
    runs: 500,
  },
  {
    name: 'kyma-clusters',
    title: 'random actions on KymaClusters, for every invariant of campaigns',
    script: 'test:unit',
    jestArgs: ['test/campaign/reconciler'],
    runs: 500,
  },
  {
    name: 'mappings',
    title: 'random actions on InstanceMappings, for every invariant of campaigns',
    script: 'test:unit',
    jestArgs: ['test/campaign/inventory'],
    runs: 500,
  },
  {
    name: 'shoots',
    title:
      'random changes of Runtimes on a real gardener-apiserver, compared with the Shoots of new Runtimes',
    script: 'test:integration',
    jestArgs: ['test/integration/infrastructure-manager/shoot-changes'],
    runs: 200,
  },
  {
    name: 'runtimes',
    title:
      'random actions on Runtimes, their Shoots and clusters, for every invariant of campaigns; a month, and crashes',
    script: 'test:unit',
    jestArgs: [
      'test/campaign/infrastructure-manager',
      'internal/systems/infrastructure-manager/gardenercluster/month',
      'internal/systems/infrastructure-manager/runtime/crashes',
    ],
    runs: 500,
  },
  {
    name: 'process',
    title: 'processes that are killed, frozen, stalled and disconnected',
    script: 'test:integration',
    jestArgs: [
      ...inFolder('test/integration/faults', [
        'drain',
        'failover-claims',
        'kill',
        'leadership',
        'limits',
        'shards',
        'unresponsive-hosts',
      ]),
      ...inFolder('test/integration/reconciler/components', ['deploy-crashes']),
      ...inFolder('test/integration/tools', ['demo']),
    ],
    runs: 1,
  },
  {
    name: 'chain',
    title: 'a fault at each link from a Runtime to a mapping',
    script: 'test:integration',
    jestArgs: ['test/integration/chain'],
    runs: 1,
  },
  {
    name: 'control-plane',
    title: 'API servers and etcd that fail, pause, refuse and forget; input objects and clusters that go',
    script: 'test:integration',
    jestArgs: [
      ...inFolder('test/integration/faults', ['api-faults', 'etcd', 'kyma-cluster']),
      ...inFolder('test/integration/hardening', ['stale-watch']),
      ...inFolder('test/integration/safe-start', ['late-crds']),
      ...inFolder('test/integration/inventory', ['deletion', 'namespaced/deletion', 'sources']),
    ],
    runs: 1,
  },
  {
    name: 'mothership',
    title:
      'motherships in processes of their own: races, SIGKILL at each statement, a failover of Postgres, a long history',
    script: 'test:integration',
    jestArgs: inFolder('test/integration/reconciler/mothership', [
      'races',
      'kill-points',
      'failover',
      'costs',
    ]),
    runs: 200,
  },
  {
    name: 'guards',
    title: 'faults that are planted in the program, each of which a guard of the tests finds',
    script: 'plant-faults',
    jestArgs: [],
    runs: 1,
  },
  {
    name: 'mothership-model',
    title:
      'random changes, callbacks and cut connections in three motherships at the same moment, compared with a model',
    script: 'test:integration',
    jestArgs: inFolder('test/integration/reconciler/mothership', ['campaign']),
    runs: 500,
  },
];

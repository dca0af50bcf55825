/**
 * Rules for dependency-cruiser: which room may import which, and that files do not import each other in a circle
 * (folder-rules.js has the same for folders).
 *
 *     program → systems → templates → framework
 *
 * A system imports no other system. Inside the framework:
 *
 *     {module, rest} → managed → controller → {kube, process} → {http, ownership} → base
 *
 * What a folder may import is written out rather than derived, so that each line can be read alone: the framework knows
 * nothing of SAP, templates nothing of Kubernetes, apis nothing at all. Types count like values, unless a rule says
 * otherwise.
 */
const base = 'internal/framework/base';
const ownership = 'internal/framework/ownership';
const http = 'internal/framework/http';
const kube = 'internal/framework/kube';
const processes = 'internal/framework/process';
const controller = 'internal/framework/controller';
const managed = 'internal/framework/managed';
const rest = 'internal/framework/rest';
const gotemplate = 'internal/templates/gotemplate';
const ofReconciler = (part) => `internal/systems/reconciler/${part}`;
const ofSystems = ['internal/framework', 'internal/templates', 'apis'];
const mayImport = {
  [base]: [],
  [ownership]: [base],
  [http]: [base],
  [processes]: [http, base],
  [kube]: [ownership, http, base],
  [controller]: [kube, processes, http, ownership, base],
  [managed]: [controller, kube, processes, http, ownership, base],
  [rest]: [managed, kube, processes, http, base],
  'internal/framework/module': [managed, controller, kube, processes, http, ownership, base],
  [gotemplate]: [base],
  'internal/templates/helm': [gotemplate, processes, base],
  'internal/systems/inventory': ofSystems,
  'internal/systems/inventory/hana-cloud': [http, base],
  'internal/systems/btp': ofSystems,
  'internal/systems/btp/service-manager': [http, base],
  'internal/systems/infrastructure-manager': ofSystems,
  [ofReconciler('operations')]: [base],
  // The types of the mothership's API are those of its server.
  [ofReconciler('client')]: [ofReconciler('operations'), http, base, 'apis'],
  [ofReconciler('kyma-cluster')]: [ofReconciler('client'), ...ofSystems],
  [ofReconciler('mothership')]: [ofReconciler('operations'), kube, processes, http, ownership, base, 'apis'],
  [ofReconciler('components')]: [
    ofReconciler('operations'),
    'internal/templates',
    kube,
    processes,
    http,
    ownership,
    base,
    'apis',
  ],
  [ofReconciler('commands')]: ['internal/systems/reconciler', ...ofSystems],
  'internal/program': ['internal/systems', ...ofSystems],
};

/**
 * The layers of the mothership, from the lowest: persistence, model, repositories, components, endpoints, and the program.
 * A folder, or a file without one, imports those of its own layer and of lower ones.
 */
const mothershipLayers = [
  { layer: 'persistence', folders: ['database', 'encryption'] },
  { layer: 'model', folders: ['model'] },
  {
    layer: 'repositories',
    folders: ['inventory', 'reconciliations', '(occupancy|overview|rollouts)([.]test)?[.]ts'],
  },
  {
    layer: 'components',
    folders: ['config', 'dispatch', 'go-migration', 'kubeconfigs', 'metrics([.]test)?[.]ts', 'runnables'],
  },
  { layer: 'endpoints', folders: ['api', 'page'] },
  { layer: 'program', folders: ['program', 'create-mothership[.]ts'] },
];
const inMothership = (folders) => `^internal/systems/reconciler/mothership/(${folders.join('|')})(/|$)`;

const oneOf = (folders) => `^(${folders.join('|')})/`;
const tests = '[.]test[.]ts$';
/** Loading it takes a thousand modules, and it opens a connection for each request. */
const kubernetesClient = 'node_modules/@kubernetes/client-node/';
/** Not part of the program: tests, their parts, and the fakes for tests of providers. */
const notShipped = ['[.](test|fixture)[.]ts$', '/(fakes|scenarios|example)/'];

export default {
  forbidden: [
    ...Object.entries(mayImport).map(([layer, others]) => ({
      name: `imports-of-${layer.replaceAll('/', '-')}`,
      comment: `${layer} imports ${[...others, 'itself'].join(', ')}, and packages; its tests also the simulators and the lengths of campaigns`,
      severity: 'error',
      from: { path: `^${layer}/` },
      to: {
        path: oneOf(['apis', 'internal', 'hack', 'test', 'examples']),
        pathNot: [oneOf([layer, ...others]), '^test/(simulators|campaign)/'],
      },
    })),
    ...mothershipLayers.map(({ layer, folders }, index) => ({
      name: `layers-of-mothership-${layer}`,
      comment: `${layer} of the mothership imports no higher layer`,
      severity: 'error',
      from: { path: inMothership(folders) },
      to: {
        path: '^internal/systems/reconciler/mothership/',
        pathNot: inMothership(mothershipLayers.slice(0, index + 1).flatMap((lower) => lower.folders)),
      },
    })),
    {
      name: 'known-layers-of-mothership',
      comment: 'a new folder of the mothership has its layer here',
      severity: 'error',
      from: {
        path: '^internal/systems/reconciler/mothership/',
        pathNot: inMothership(mothershipLayers.flatMap(({ folders }) => folders)),
      },
      to: {},
    },
    {
      name: 'imports-of-apis',
      comment: 'apis imports nothing; its tests may import packages',
      severity: 'error',
      from: { path: '^apis/', pathNot: tests },
      to: { pathNot: '^apis/' },
    },
    {
      name: 'tests-of-apis',
      comment: 'tests of apis import no code of other folders',
      severity: 'error',
      from: { path: '^apis/' },
      to: { path: oneOf(['internal', 'hack', 'test', 'examples']) },
    },
    {
      name: 'known-layers',
      comment: 'a new layer states its imports here',
      severity: 'error',
      from: { path: '^internal/', pathNot: oneOf(Object.keys(mayImport)) },
      to: {},
    },
    {
      name: 'simulators-are-for-tests',
      severity: 'error',
      from: { path: '^internal/', pathNot: '[.](test|fixture)[.]ts$' },
      to: { path: '^test/(simulators|campaign)/' },
    },
    {
      name: 'framework-through-its-index',
      comment:
        'systems use what the framework exports to every author of a provider, and to their tests; flags without the rest, since every process loads them',
      severity: 'error',
      from: { path: '^internal/systems/(inventory|btp|infrastructure-manager|reconciler/kyma-cluster)/' },
      to: {
        path: '^internal/framework/(managed|controller|process)/',
        pathNot: '^internal/framework/(managed|controller|process)/((fakes/)?index|flag)[.]ts$',
      },
    },
    {
      name: 'one-kubernetes-client',
      comment: 'one file alone loads the Kubernetes client; types of it may be used anywhere',
      severity: 'error',
      from: {
        path: '^internal/',
        pathNot: [tests, '^internal/framework/kube/config/program-credentials[.]ts$'],
      },
      to: { path: kubernetesClient, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shipped-packages',
      comment: 'packages that the program loads are among the dependencies of package.json',
      severity: 'error',
      from: { path: '^internal/', pathNot: notShipped },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-cycles-of-files',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};

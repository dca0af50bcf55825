/**
 * Where the program has the sizes that pages name: `file#name` below `internal`, the number that `name` has there first, or after
 * another name (`file#hostile.maxNameBytes`). A name that ends with `MB` counts MiB.
 */
const LIMITS = {
  cluster: 'framework/kube/client/cluster-limits.ts#hostile',
  trusted: 'framework/kube/client/cluster-limits.ts#trusted',
  namespaceOfClusters: 'framework/kube/cluster/cluster-pool.ts#NAMESPACE',
  allNames: 'framework/kube/cluster/cluster-pool.ts#MAX_ALL_NAME_BYTES',
  allWatches: 'framework/kube/cluster/cluster-pool.ts#MAX_ALL_WATCH_BYTES',
  kubeconfig: 'framework/kube/config/untrusted-kubeconfig.ts#maxBytes',
  largeObject: 'framework/kube/cache/transform.ts#LARGE',
  heavyObject: 'framework/kube/cache/transform.ts#HEAVY',
  keptPart: 'framework/kube/cache/transform.ts#KEPT',
  keptObject: 'framework/kube/cache/transform.small-parts.test.ts#KEPT_OBJECT',
  keptRuntime: 'systems/infrastructure-manager/runtime/small-runtime.test.ts#KEPT_OBJECT',
  answer: 'framework/http/client/http-client.ts#MAX_BYTES',
  tokenAnswer: 'framework/http/oauth/client-credentials-grant.ts#MAX_RESPONSE_BYTES',
  token: 'framework/http/oauth/client-credentials-grant.ts#MAX_TOKEN',
  shoot: 'systems/infrastructure-manager/rendering/shoot-rendering.ts#MAX_BYTES',
  parameters: 'systems/btp/parameters/read-parameters.ts#MAX_BYTES',
  parameterSecrets: 'systems/btp/parameters/read-parameters.ts#MAX_SECRET_BYTES',
  templateHeap: 'systems/btp/servicebinding/secret/secret-renderer.ts#HEAP_MB',
  templateMemory: 'systems/btp/servicebinding/secret/secret-renderer.ts#MEMORY_MB',
  templateOutput: 'templates/gotemplate/budget.ts#outputBytes',
  webhookBody: 'framework/controller/webhook/webhook-server.ts#MAX_BODY_BYTES',
  webhookBodies: 'framework/controller/webhook/webhook-server.ts#MAX_BODIES_BYTES',
  mothershipBodies: 'systems/reconciler/mothership/program/api-server.ts#MAX_BODIES_BYTES',
  mothershipAnswer: 'systems/reconciler/kyma-cluster/access.ts#MAX_RESPONSE_BYTES',
  chartHeap: 'systems/reconciler/components/charts/rendering/chart-jobs.ts#HEAP_MB',
  chartMemory: 'systems/reconciler/components/charts/rendering/chart-jobs.ts#MEMORY_MB',
  clusterAnswers: 'systems/reconciler/components/clusters/managed-clusters.ts#MEMORY.maxBytes',
  chartObjects: 'systems/reconciler/components/charts/rendering/chart-jobs.ts#manifests.maxBytes',
  chartArchives: 'templates/helm/chart/load-chart.ts#MAX_UNPACKED_BYTES',
  source: 'systems/reconciler/components/charts/sources/chart-source.ts#maxDownloadBytes',
  boundSecret: 'systems/btp/servicebinding/secret/assemble-content.ts#MAX_BYTES',
} as const;

const { cluster, trusted, namespaceOfClusters: ofNamespace } = LIMITS;

/** A size that another program sets. */
const OUTSIDE = undefined;

/**
 * The sizes of a page, by the beginning of the line that has them, in their order. `x / n` is a part of x. In `docs/security.md` titles of
 * tests are left out.
 */
export const DOCUMENTED_SIZES: Readonly<
  Record<string, Readonly<Record<string, readonly (string | typeof OUTSIDE)[]>>>
> = {
  'docs/security.md': {
    '| object on the management cluster': [OUTSIDE],
    '| kubeconfig in a Secret, a registration': [
      LIMITS.kubeconfig,
      'framework/kube/config/untrusted-kubeconfig.ts#MAX_PEM',
    ],
    '| certificates of a server': ['framework/http/transport/server-certificate.ts#MAX_BYTES'],
    '| response of a remote cluster': [
      `${cluster}.maxResponseBytes`,
      'framework/kube/cluster/cluster-pool.ts#MEMORY_OF_RESPONSES.maxBytesPerTenant',
      'framework/kube/cluster/cluster-pool.ts#MEMORY_OF_RESPONSES.maxBytes',
    ],
    '| refusal of an API server': ['framework/kube/client/request-sender.ts#MAX_REFUSAL_BYTES'],
    '| configuration of the Connectivity proxy': [
      'systems/reconciler/components/charts/rendering/manifest-objects.ts#sourceBytes',
    ],
    '| event of a watch of a remote cluster': [
      `${cluster}.maxWatchLineBytes`,
      `${cluster}.maxNameBytes`,
      `${cluster}.bytesPerSecond`,
      `${cluster}.burstBytes`,
      `${ofNamespace}.bytesPerSecond`,
      `${ofNamespace}.burstBytes`,
      'framework/kube/client/watch-stream.ts#REQUEST_BYTES',
    ],
    '| response of HANA Cloud or Service Manager': [
      LIMITS.answer,
      'framework/http/session/api-sessions.ts#MEMORY_OF_RESPONSES.maxBytesPerTenant',
      'framework/http/session/api-sessions.ts#MEMORY_OF_RESPONSES.maxBytes',
    ],
    '| response of a token endpoint': [LIMITS.tokenAnswer, LIMITS.token],
    '| ServiceInstance or ServiceBinding of megabytes': [LIMITS.largeObject, LIMITS.keptObject],
    '| labels and annotations of a managed resource': [LIMITS.largeObject, LIMITS.keptPart],
    '| Runtime |': [LIMITS.shoot],
    '| Shoot of Gardener, with the errors': [`${trusted}.maxResponseBytes`],
    '| Secret with the kubeconfig of a runtime': [LIMITS.kubeconfig],
    '| RegistryCacheConfig of a runtime': [
      'systems/infrastructure-manager/registrycache/kind.ts#MAX_BYTES',
      'systems/infrastructure-manager/runtime/registry-caches.ts#MAX_CREDENTIALS',
    ],
    '| response of a runtime cluster': [
      `${cluster}.maxResponseBytes`,
      'systems/infrastructure-manager/runtime/cluster/runtime-cluster.ts#MAX_LIST_BYTES',
    ],
    '| `parameters` and `parametersFrom`': [LIMITS.parameters, LIMITS.parameterSecrets],
    '| list of objects on the management cluster': ['framework/kube/watch/reflector.ts#PAGE_BYTES'],
    '| template of a ServiceBinding, and the YAML': [
      LIMITS.templateHeap,
      LIMITS.templateMemory,
      LIMITS.templateOutput,
      'systems/btp/servicebinding/secret/secret-renderer.ts#MAX_RESULT_BYTES',
    ],
    '| request to a webhook': [
      LIMITS.webhookBody,
      LIMITS.webhookBodies,
      `${LIMITS.webhookBodies} / 4`,
      `${LIMITS.webhookBodies} / 64`,
      'framework/process/server/http-server.ts#MAX_HEADER_BYTES',
    ],
    '| request to the API of the mothership': [LIMITS.mothershipBodies],
    '| callback of a component reconciler': [
      'systems/reconciler/mothership/api/read-bodies.ts#MAX_PROGRESS_BYTES',
    ],
    '| kubeconfig of a registration': [`${cluster}.maxResponseBytes`],
    '| bearer token, answers of its issuer': [
      'systems/reconciler/mothership/api/login/oidc-login.ts#MAX_TOKEN',
      'systems/reconciler/mothership/api/login/login.ts#MAX_ISSUER_BYTES',
    ],
    '| kubeconfig of a KymaCluster; token': ['systems/reconciler/kyma-cluster/access.ts#MAX_TOKEN'],
    '| answers of the mothership of a KymaCluster': [LIMITS.mothershipAnswer],
    '| responses that clients do not read': ['framework/process/server/connections.ts#MAX_UNREAD_BYTES'],
    '| response of the cluster of a task': [
      'systems/reconciler/components/clusters/open-managed-cluster.ts#MANAGED_LIMITS.maxResponseBytes',
      'systems/reconciler/components/clusters/managed-clusters.ts#MEMORY.maxBytesPerTenant',
      LIMITS.clusterAnswers,
      'systems/reconciler/components/clusters/answers-in-turns.ts#BYTES_PER_TURN',
    ],
    '| refusal of a registry of charts': [
      'systems/reconciler/components/charts/sources/oci-source.ts#MAX_REFUSAL_BYTES',
    ],
    '| mappings of a namespace: CPU': [LIMITS.heavyObject],
    '| service objects of a namespace: CPU': [LIMITS.heavyObject],
    '| KymaClusters of a namespace: CPU': [LIMITS.heavyObject],
    '| Runtimes of a global account: CPU': [LIMITS.heavyObject],
    '| mappings of a namespace: memory': [LIMITS.keptPart, LIMITS.allWatches],
    '| service objects of a namespace: memory': [
      LIMITS.keptObject,
      `${LIMITS.webhookBodies} / 64`,
      LIMITS.templateMemory,
    ],
    '| KymaClusters of a namespace: memory': [LIMITS.mothershipAnswer],
    '| Runtimes of a global account: memory': [LIMITS.keptRuntime],
    '| Runtimes of a global account: storage': [LIMITS.shoot],
    '| clusters in a mothership: memory': [LIMITS.mothershipBodies],
    '| tasks of a component reconciler: memory': [
      LIMITS.chartMemory,
      LIMITS.chartObjects,
      LIMITS.clusterAnswers,
      LIMITS.chartArchives,
    ],
    '| A Service Manager returns bodies': [
      LIMITS.answer,
      'systems/btp/service-manager/catalogs.ts#MAX_BYTES',
    ],
    '| A service broker chooses so many or so long tags': [
      'systems/btp/serviceinstance/sm-requests.ts#MAX_TAG_BYTES',
    ],
    '| A program in the cluster sends requests to the webhooks': [LIMITS.webhookBody],
    '| A template of a ServiceBinding loops': [LIMITS.templateHeap],
    '| A chart loops, recurses or grows': [LIMITS.chartHeap, LIMITS.chartMemory, LIMITS.chartArchives],
    '| `parametersFrom` names a large Secret': [LIMITS.parameters, LIMITS.parameterSecrets],
    '| The API server of a kubeconfig Secret sends very large': [
      `${cluster}.maxResponseBytes`,
      `${cluster}.maxWatchLineBytes`,
      `${cluster}.maxNameBytes`,
      LIMITS.allNames,
    ],
    '| The host of credentials fills caches': [LIMITS.token, LIMITS.answer, LIMITS.tokenAnswer],
  },
  'docs/components/charts.md': {
    'The 20 revisions': ['systems/reconciler/components/charts/sources/workspaces.ts#maxBytes'],
    '| download': [
      LIMITS.source,
      'systems/reconciler/components/charts/sources/git/git-source.ts#MAX_PACK_BYTES',
    ],
    '| unpacked': [
      'systems/reconciler/components/charts/sources/chart-source.ts#maxUnpackedBytes',
      'systems/reconciler/components/charts/sources/chart-source.ts#maxFileBytes',
    ],
    'charts with more than 2,000 values': [
      'systems/reconciler/components/objects/random-values.ts#MAX_BYTES',
    ],
    'does an object of more than': [
      'systems/reconciler/components/charts/rendering/manifest-objects.ts#OBJECT_BOUNDS.bytes',
      'systems/reconciler/components/charts/rendering/manifest-objects.ts#VALUES_BOUNDS.bytes',
    ],
    'long lately share one of the two': [LIMITS.chartHeap],
    'at 160 MiB of memory; archives in `charts/`': [
      LIMITS.chartMemory,
      LIMITS.chartArchives,
      'systems/reconciler/components/charts/rendering/chart-jobs.ts#MAX_RESULT_BYTES',
    ],
    'tasks in progress have': [LIMITS.chartObjects],
  },
  'docs/infrastructure-manager/shoot.md': {
    'There may be 256 pools': [LIMITS.shoot],
    'Files are YAML 1.2': ['framework/base/configuration/configuration.ts#maxBytes'],
  },
  'docs/service-operator/secrets.md': {
    'If a name is not a valid key': [LIMITS.boundSecret],
    '- The result has at most': [LIMITS.templateOutput],
  },
  'docs/service-operator/parameters.md': {
    'All values of Secrets together': [LIMITS.parameters, LIMITS.parameterSecrets],
  },
  'docs/service-operator/templates.md': { '96 MiB of memory': [LIMITS.templateHeap] },
};

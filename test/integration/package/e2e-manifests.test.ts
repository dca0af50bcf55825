/** The manifests of the end-to-end test, applied to a real API server: that test itself needs pods. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import { namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import { providerManifests, trustManifest } from '../../e2e/pods/provider-manifests.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { objectsOf } from '../../environment/objects.ts';
import { type ControlPlanes, controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const REFERENCE = '172.18.0.3:5000/e2e/provider-kyma:v0.0.0-e2e';

interface Applied {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Collections, by kind; those of cluster-scoped kinds have no place for a namespace. */
const collections: Readonly<Record<string, (namespace: string) => string>> = {
  Namespace: () => '/api/v1/namespaces',
  ConfigMap: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  Service: (namespace) => `/api/v1/namespaces/${namespace}/services`,
  Deployment: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  ClusterRole: () => '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: () => '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
  KymaInstanceMapping: () => '/apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemappings',
};

let planes: ControlPlanes;
let namespace: string;
beforeAll(async () => {
  planes = await controlPlanes();
  namespace = uniqueName('e2e-manifests');
  const objects = objectsOf(planes.management);
  await objects.apply(namespaces, namespaceManifest(namespace));
});

/**
 * What the API server has against an object; undefined: nothing. A dry run goes through every validation, unknown fields
 * included, and leaves nothing.
 */
async function refusal(object: Applied): Promise<unknown> {
  const collection = collections[object.kind]?.(namespace);
  if (collection === undefined) throw new Error(`no collection of ${object.kind} is known`);
  const { namespace: own, ...metadata } = object.metadata;
  const path = `${collection}/${metadata.name}?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict`;
  const place = own === undefined ? {} : { namespace };
  const { status, body } = await planes.management.request(path, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body: { ...object, metadata: { ...metadata, ...place } },
  });
  return status < 300 ? undefined : body;
}

test.each(['simulator.yaml', 'reconciler-systems.yaml', 'argocd/*.yaml'])(
  'an API server accepts manifests/%s as it is',
  async (pattern) => {
    const documents = await readDocuments(ROOT, `test/e2e/manifests/${pattern}`);
    for (const { content } of documents) {
      expect(await refusal(content as Applied)).toBeUndefined();
    }
  },
);

test('an API server accepts the ConfigMap with the CA of the simulators', async () => {
  expect(await refusal(trustManifest('a certificate') as Applied)).toBeUndefined();
});

test('an unknown field is refused', async () => {
  const metadata = { name: 'x', annotation: {} };
  expect(await refusal({ apiVersion: 'v1', kind: 'Namespace', metadata })).toMatchObject({
    message: expect.stringContaining('.metadata.annotation'),
  });
});

describe('the provider’s manifests', () => {
  const find = async (kind: string) => {
    const found = (await providerManifests(REFERENCE)).find((each) => each.kind === kind);
    if (found === undefined) throw new Error(`there is no ${kind}`);
    return found as Applied & { readonly spec: Record<string, unknown> };
  };

  test('the Provider has the test’s package and names the runtime config, whose pod has the read-only root', async () => {
    const provider = await find('Provider');
    const config = await find('DeploymentRuntimeConfig');

    expect(provider.spec).toMatchObject({
      package: REFERENCE,
      runtimeConfigRef: { name: config.metadata.name },
    });
    // The settings of the example are kept.
    expect(config.spec).toMatchObject({
      serviceAccountTemplate: { metadata: { name: 'provider-kyma' } },
      deploymentTemplate: {
        spec: {
          template: {
            spec: {
              terminationGracePeriodSeconds: 45,
              containers: [
                {
                  readinessProbe: { httpGet: { path: '/readyz', port: 8081 } },
                  securityContext: { readOnlyRootFilesystem: true },
                },
              ],
            },
          },
        },
      },
    });
  });

  test('an API server accepts the Deployment that Crossplane generates from the runtime config', async () => {
    const config = await find('DeploymentRuntimeConfig');
    const deployment = deploymentOf(config.spec.deploymentTemplate as DeploymentTemplate);
    expect(await refusal(deployment)).toBeUndefined();
  });

  test('an API server accepts the roles and their bindings', async () => {
    const roles = (await providerManifests(REFERENCE)).filter(({ kind }) => /Role(Binding)?$/.test(kind));
    expect(roles.length).toBeGreaterThan(1);
    for (const role of roles) {
      expect(await refusal(role as Applied)).toBeUndefined();
    }
  });
});

interface DeploymentTemplate {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly env: readonly object[];
            readonly securityContext: object;
            readonly volumeMounts: readonly object[];
          },
        ];
        readonly volumes: readonly object[];
      };
    };
  };
}

/** The Deployment that Crossplane generates, with the template merged in by name. */
function deploymentOf({ spec }: DeploymentTemplate): Applied {
  const labels = {
    'pkg.crossplane.io/provider': 'provider-kyma',
    'pkg.crossplane.io/revision': 'provider-kyma-0',
  };
  const [given] = spec.template.spec.containers;
  const ids = { runAsNonRoot: true, runAsUser: 2000, runAsGroup: 2000 };
  const container = {
    ...given,
    image: REFERENCE,
    imagePullPolicy: 'IfNotPresent',
    securityContext: { ...ids, privileged: false, allowPrivilegeEscalation: false, ...given.securityContext },
    ports: [
      { name: 'metrics', containerPort: 8080 },
      { name: 'webhook', containerPort: 9443 },
    ],
    env: [
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'TLS_SERVER_CERTS_DIR', value: '/tls/server' },
      ...given.env,
    ],
    volumeMounts: [
      { name: 'tls-server-certs', mountPath: '/tls/server', readOnly: true },
      ...given.volumeMounts,
    ],
  };
  const volumes = [
    { name: 'tls-server-certs', secret: { secretName: 'provider-kyma-tls-server' } },
    ...spec.template.spec.volumes,
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'provider-kyma-0', namespace: 'crossplane-system' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: 'provider-kyma',
          securityContext: ids,
          containers: [container],
          volumes,
        },
      },
    },
  } as Applied;
}

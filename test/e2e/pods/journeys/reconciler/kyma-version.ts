/** A version of Kyma in the workspace of a component reconciler, so that nothing is fetched. */
import { stringify } from 'yaml';
import { configMapManifest } from '../../../../environment/manifests.ts';
import { ISSUER_IMAGE } from './reconciler-systems.ts';

/** That of examples/kyma-cluster/kymacluster.yaml. */
const VERSION = '2.20.0';
/** Component, its namespace, and its Deployment. */
export const COMPONENT = 'front';
/** The Deployment is ready when this ConfigMap is there. */
export const GATE = { name: 'gate', namespace: COMPONENT } as const;

const labels = { app: COMPONENT };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: COMPONENT },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: COMPONENT,
            image: ISSUER_IMAGE,
            imagePullPolicy: 'IfNotPresent',
            command: ['/nodejs/bin/node', '--eval', 'setInterval(() => undefined, 60_000)'],
            env: [{ name: 'GATE', valueFrom: { configMapKeyRef: { name: GATE.name, key: 'open' } } }],
          },
        ],
      },
    },
  },
};
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'fronts.e2e.kyma-project.io' },
  spec: {
    group: 'e2e.kyma-project.io',
    scope: 'Namespaced',
    names: { plural: 'fronts', singular: 'front', kind: 'Front', listKind: 'FrontList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

const FILES: Readonly<Record<string, string>> = {
  'workspace-ready.yaml': '# complete\n',
  'installation/resources/crds/front.yaml': stringify(crd),
  [`resources/${COMPONENT}/Chart.yaml`]: stringify({ apiVersion: 'v2', name: COMPONENT, version: '1.0.0' }),
  [`resources/${COMPONENT}/templates/deployment.yaml`]: stringify(deployment),
};
const keyOf = (path: string) => path.replaceAll('/', '_');

export const kymaVersion = {
  manifest: (namespace: string) =>
    configMapManifest(
      { name: 'kyma-version', namespace },
      Object.fromEntries(Object.entries(FILES).map(([path, text]) => [keyOf(path), text])),
    ),
  volumes: [{ name: 'kyma', configMap: { name: 'kyma-version' } }],
  // One by one: the files of a volume are symbolic links otherwise, which charts must not have.
  volumeMounts: Object.keys(FILES).map((path) => ({
    name: 'kyma',
    mountPath: `/workspace/${VERSION}/${path}`,
    subPath: keyOf(path),
    readOnly: true,
  })),
} as const;

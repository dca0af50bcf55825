/** What templates see as `.Capabilities`. */
import {
  type GoMethods,
  GoObject,
  GoSlice,
  objectType,
  strings,
  type Value,
} from '../../gotemplate/index.ts';
import { HelmError } from '../render-request.ts';

export interface KubeVersion {
  /** As it was given, with a `v`. */
  readonly full: string;
  /** `v1.2.3`, for constraints. */
  readonly normalized: string;
  readonly major: string;
  readonly minor: string;
}

/** @throws HelmError */
export function parseKubeVersion(text: string): KubeVersion {
  const match = /^\s*v?(\d+(?:\.\d+)+)/.exec(text);
  const parts = (match?.[1] ?? '').split('.');
  if (!match || parts.some((part) => /^0\d/.test(part))) {
    throw new HelmError(`invalid kube version '${text}': could not parse ${JSON.stringify(text)} as version`);
  }
  return {
    full: text.startsWith('v') ? text : `v${text}`,
    normalized: `v${parts.length < 3 ? [...parts, '0'].join('.') : parts.join('.')}`,
    major: parts[0] ?? '',
    minor: parts[1] ?? '',
  };
}

const text = (result: (version: KubeVersion) => string) => (receiver: Value) => ({
  parameters: [],
  call: () => (receiver instanceof GoObject ? result(receiver.content as KubeVersion) : ''),
});

const KUBE_VERSION_TYPE = objectType<KubeVersion>({
  name: 'common.KubeVersion',
  methods: { String: text(({ normalized }) => normalized), GitVersion: text(({ full }) => full) },
  fields: {
    Version: ({ full }) => full,
    Major: ({ major }) => major,
    Minor: ({ minor }) => minor,
  },
  text: ({ normalized }) => normalized,
  json: ({ full, major, minor }) => [
    ['Version', full],
    ['Major', major],
    ['Minor', minor],
  ],
});

const BUILD_TYPE = objectType<typeof HELM_BUILD>({
  name: 'version.BuildInfo',
  methods: {},
  fields: {
    Version: ({ version }) => version,
    GitCommit: () => '',
    GitTreeState: () => '',
    GoVersion: ({ goVersion }) => goVersion,
    KubeClientVersion: ({ kubeClientVersion }) => kubeClientVersion,
  },
  text: ({ version, goVersion, kubeClientVersion }) => `{${version}   ${goVersion} ${kubeClientVersion}}`,
  json: ({ version, goVersion, kubeClientVersion }) => [
    ['version', version],
    ['go_version', goVersion],
    ['kube_client_version', kubeClientVersion],
  ],
});

const VERSION_SET_METHODS: GoMethods = {
  Has: (receiver) => ({
    parameters: ['string'],
    call: ([wanted = null]) => receiver instanceof GoSlice && receiver.items.includes(wanted),
  }),
};

interface Capabilities {
  readonly kubeVersion: GoObject;
  readonly apiVersions: GoSlice;
}

const CAPABILITIES_TYPE = objectType<Capabilities>({
  name: '*common.Capabilities',
  methods: {},
  fields: {
    KubeVersion: ({ kubeVersion }) => kubeVersion,
    APIVersions: ({ apiVersions }) => apiVersions,
    HelmVersion: () => new GoObject<unknown>(BUILD_TYPE, HELM_BUILD),
  },
  text: () => '&{}',
  json: ({ kubeVersion, apiVersions }) => [
    ['KubeVersion', kubeVersion],
    ['APIVersions', apiVersions],
    ['HelmVersion', new GoObject<unknown>(BUILD_TYPE, HELM_BUILD)],
  ],
});

export function createCapabilities(
  kubeVersion: KubeVersion,
  apiVersions: readonly string[] = API_VERSIONS,
): GoObject {
  const { items } = strings(apiVersions);
  const content: Capabilities = {
    kubeVersion: new GoObject<unknown>(KUBE_VERSION_TYPE, kubeVersion),
    apiVersions: new GoSlice('string', items, false, {
      name: 'common.VersionSet',
      methods: VERSION_SET_METHODS,
    }),
  };
  return new GoObject<unknown>(CAPABILITIES_TYPE, content);
}

export const defaultKubeVersion = (): KubeVersion => parseKubeVersion(KUBE_VERSION);

/** The API versions that `helm template` knows without a cluster: those of client-go. In the order of Helm. */
const API_VERSIONS: readonly string[] = [
  'v1',
  'admissionregistration.k8s.io/v1',
  'admissionregistration.k8s.io/v1alpha1',
  'admissionregistration.k8s.io/v1beta1',
  'internal.apiserver.k8s.io/v1alpha1',
  'apps/v1',
  'apps/v1beta1',
  'apps/v1beta2',
  'authentication.k8s.io/v1',
  'authentication.k8s.io/v1alpha1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1',
  'authorization.k8s.io/v1beta1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'batch/v1beta1',
  'certificates.k8s.io/v1',
  'certificates.k8s.io/v1beta1',
  'certificates.k8s.io/v1alpha1',
  'coordination.k8s.io/v1alpha2',
  'coordination.k8s.io/v1beta1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1',
  'events.k8s.io/v1beta1',
  'extensions/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'lifecycle.k8s.io/v1alpha1',
  'networking.k8s.io/v1',
  'networking.k8s.io/v1beta1',
  'node.k8s.io/v1',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1',
  'rbac.authorization.k8s.io/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'resource.k8s.io/v1',
  'resource.k8s.io/v1beta2',
  'resource.k8s.io/v1beta1',
  'resource.k8s.io/v1alpha3',
  'scheduling.k8s.io/v1alpha3',
  'scheduling.k8s.io/v1beta1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1beta1',
  'storage.k8s.io/v1',
  'storage.k8s.io/v1alpha1',
  'storagemigration.k8s.io/v1',
  'storagemigration.k8s.io/v1beta1',
  'apiextensions.k8s.io/v1beta1',
  'apiextensions.k8s.io/v1',
];

// What the newest supported Helm says of itself; see hack/helm, which has the same version.

const HELM_BUILD = { version: 'v4.3.1', goVersion: 'go1.26.8', kubeClientVersion: 'v1.37' } as const;

/** The Kubernetes version of `helm template` without a cluster. */
const KUBE_VERSION = 'v1.37.0';

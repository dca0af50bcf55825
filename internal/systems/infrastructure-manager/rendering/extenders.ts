/** The extenders: each sets one group of fields of a Shoot. Those for a Shoot that exists begin with `patch`. */
import type { GardenerSchemas } from '../../../../apis/gardener/kinds.ts';
import { formatDuration, ownMember } from '../../../framework/base/index.ts';
import type { AuditTenant, Switches } from '../configuration/configuration.ts';
import {
  annotationGracePeriod,
  annotationRuntimeGeneration,
  annotationRuntimeId,
  authenticationConfigName,
  labels,
} from '../metadata.ts';
import {
  AUDIT_CREDENTIALS,
  CACHE_SECRET_PREFIX,
  cachesOf,
  domainOf,
  type Extender,
  type PatchInput,
  RenderingError,
  type RenderingInput,
  rawDocument,
  secretOf,
  usesDualStack,
  usesOwnDns,
} from './model/extender.ts';
import { compareVersions, newerVersion } from './model/version.ts';

const PREFIX = 'infrastructuremanager.kyma-project.io';

/** How long Gardener waits for finalizers when it deletes the Shoot, in seconds. */
const gracePeriods = {
  [annotationGracePeriod]: '120',
  'shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds': '120',
  'shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds': '60',
};

/** From which Runtime, and from which version of it, the Shoot was made, and how it is deleted. */
export const annotations: Extender = ({ runtime: { metadata }, spec }) => ({
  annotations: {
    [annotationRuntimeId]: ownMember(metadata.labels, labels.runtimeId) ?? '',
    [annotationRuntimeGeneration]: String(metadata.generation ?? 0),
    ...gracePeriods,
    ...(spec.shoot.licenceType ? { [`${PREFIX}/licence-type`]: spec.shoot.licenceType } : {}),
  },
});

/** Who the Shoot is for. */
export const accountLabels: Extender = ({ runtime: { metadata } }) => ({
  labels: {
    account: ownMember(metadata.labels, labels.globalAccountId) ?? '',
    subaccount: ownMember(metadata.labels, labels.subaccountId) ?? '',
  },
});

/** The control plane must be in the region of the nodes, if the Runtime enforces it. */
export const seedSelector: Extender = ({ spec: { shoot } }) =>
  shoot.enforceSeedLocation === true && shoot.region !== ''
    ? { spec: { seedSelector: { matchLabels: { 'seed.gardener.cloud/region': shoot.region } } } }
    : {};

/** On OpenStack the API server is reached from the internet by a class of its own. */
export const exposureClass: Extender = ({ spec }) =>
  spec.shoot.provider.type === 'openstack' ? { spec: { exposureClassName: 'converged-cloud-internet' } } : {};

/** Platform regions to which only staff in the EU has access. */
const RESTRICTED: ReadonlySet<string> = new Set(['cf-eu11', 'cf-ch20', 'cf-eu01', 'cf-eu02', 'cf-eu31']);

const restriction = {
  name: 'eu-access-only',
  options: {
    'support.gardener.cloud/eu-access-for-cluster-addons': 'true',
    'support.gardener.cloud/eu-access-for-cluster-nodes': 'true',
  },
};

export const accessRestrictions: Extender = ({ spec }) =>
  RESTRICTED.has(spec.shoot.platformRegion) ? { spec: { accessRestrictions: [restriction] } } : {};

/** What pods need to mount ClusterTrustBundles, which are a beta feature. */
const trustBundles = {
  featureGates: { ClusterTrustBundle: true, ClusterTrustBundleProjection: true },
  runtimeConfig: { 'certificates.k8s.io/v1beta1/clustertrustbundles': true },
  ofKubelet: { ClusterTrustBundleProjection: true },
};

/** What of Kubernetes the configuration switches on or off, in the API server and on nodes. */
export const featureGates: Extender = ({ configuration, clusterTrustBundles }) => {
  const { kubeApiServer, kubelet } = configuration.converter.kubernetes;
  const switchesOf = (switches: Switches, needed: Readonly<Record<string, boolean>>) => ({
    ...Object.fromEntries(switches),
    ...(clusterTrustBundles ? needed : {}),
  });
  const gates = switchesOf(kubeApiServer.featureGates, trustBundles.featureGates);
  const runtimeConfig = switchesOf(kubeApiServer.runtimeConfig, trustBundles.runtimeConfig);
  const ofKubelet = switchesOf(kubelet.featureGates, trustBundles.ofKubelet);
  const isEmpty = (each: object) => Object.keys(each).length === 0;
  return {
    kubeAPIServer: {
      ...(isEmpty(gates) ? {} : { featureGates: gates }),
      ...(isEmpty(runtimeConfig) ? {} : { runtimeConfig }),
    },
    ...(isEmpty(ofKubelet) ? {} : { kubelet: { featureGates: ofKubelet } }),
  };
};

/** Who issues tokens of users: it is in a ConfigMap. */
export const authentication: Extender = ({ spec: { shoot } }) => ({
  kubeAPIServer: { structuredAuthentication: { configMapName: authenticationConfigName(shoot.name) } },
});

/** A Shoot whose owner has named another ConfigMap keeps that one. */
export const patchAuthentication: Extender<PatchInput> = (input) => {
  const { structuredAuthentication: live } = input.live.spec?.kubernetes.kubeAPIServer ?? {};
  const { configMapName } = live ?? {};
  const isOfOwner =
    configMapName !== undefined && configMapName !== authenticationConfigName(input.spec.shoot.name);
  return isOfOwner && live !== undefined
    ? { kubeAPIServer: { structuredAuthentication: live } }
    : authentication(input);
};

const cloudProfiles = new Map([
  ['aws', 'aws'],
  ['azure', 'az'],
  ['gcp', 'gcp'],
  ['openstack', 'converged-cloud-kyma'],
  ['alicloud', 'alicloud'],
  ['gdch', 'cat'],
]);

/** The catalog of machines, images and versions. */
export const cloudProfile: Extender = ({ spec, configuration }) => {
  const { type } = spec.shoot.provider;
  const configured = type === 'gdch' ? configuration.converter.provider.gdch.cloudProfileName : '';
  const name = configured || cloudProfiles.get(type);
  if (name === undefined) throw new RenderingError('spec.shoot.provider.type', 'provider not supported');
  return { spec: { cloudProfile: { kind: 'CloudProfile', name } } };
};

/** A Shoot whose owner has moved it to another catalog keeps that one. */
export const patchCloudProfile: Extender<PatchInput> = (input) => {
  const part = cloudProfile(input);
  const { cloudProfile: live, cloudProfileName } = input.live.spec ?? {};
  const wanted = part.spec?.cloudProfile?.name;
  const isOther = live === undefined ? cloudProfileName !== wanted : live.name !== wanted;
  const isOfOwner =
    (live !== undefined || cloudProfileName !== undefined) &&
    (isOther || (live !== undefined && live.kind !== 'CloudProfile'));
  if (!isOfOwner) return part;
  return live === undefined ? {} : { spec: { cloudProfile: live } };
};

/** The credentials of the account at the provider, by one of two kinds of bindings. */
export const credentials: Extender = ({ spec: { shoot }, configuration }) => ({
  spec: configuration.converter.gardener.enableCredentialBinding
    ? { credentialsBindingName: shoot.secretBindingName }
    : { secretBindingName: shoot.secretBindingName },
});

/** A Shoot that has a CredentialsBinding keeps it without the switch too: Gardener has no way back. */
export const patchCredentials: Extender<PatchInput> = (input) => {
  const { enableCredentialBinding } = input.configuration.converter.gardener;
  const credentialsBindingName = input.live.spec?.credentialsBindingName;
  return credentialsBindingName === undefined || enableCredentialBinding
    ? credentials(input)
    : { spec: { credentialsBindingName } };
};

/** Seeds of some regions take only Shoots that tolerate their taints. */
export const tolerations: Extender = ({ spec, configuration }) => {
  const found = configuration.converter.tolerations.get(spec.shoot.region) ?? [];
  return found.length === 0 ? {} : { spec: { tolerations: found.map((each) => ({ ...each })) } };
};

type Provider = GardenerSchemas['DNSProvider'];

/** The domain of the Shoot, unless Gardener decides. It cannot change. */
export const dns: Extender = (input) => {
  const { converter } = input.configuration;
  if (!usesOwnDns(converter.dns)) return {};
  const domain = domainOf(input.spec.shoot.name, converter.dns);
  return { spec: { dns: { domain, providers: [providerOf(input, domain, wantedVersion(input))] } } };
};

/** The domain of the Shoot stays; its provider only where it has one, and only if it has other credentials. */
export const patchDns: Extender<PatchInput> = (input) => {
  const { converter } = input.configuration;
  const live = input.live.spec?.dns;
  const [first] = live?.providers ?? [];
  if (!usesOwnDns(converter.dns) || live?.domain === undefined || first === undefined) return {};
  const version = newerVersion(wantedVersion(input), input.live.spec?.kubernetes.version);
  const provider = providerOf(input, live.domain, version);
  if (isSame(first, provider)) return {};
  return { spec: { dns: { ...live, providers: [provider] } } };
};

/** The first version of Kubernetes for which Gardener refuses the older name. Older Gardeners know only that. */
const WITHOUT_SECRET_NAME = '1.35';

function providerOf({ configuration }: RenderingInput, domain: string, version: string): Provider {
  const { secretName, providerType: type } = configuration.converter.dns;
  const isOld = (compareVersions(version, WITHOUT_SECRET_NAME) ?? -1) < 0;
  return {
    domains: { include: [domain] },
    primary: true,
    type,
    credentialsRef: { apiVersion: 'v1', kind: 'Secret', name: secretName },
    // Gardener sets it too, as long as it is possible.
    ...(isOld ? { secretName } : {}),
  };
}

/** Gardener itself writes the credentials by both names. */
function isSame(live: Provider, wanted: Provider): boolean {
  const nameOf = ({ credentialsRef, secretName }: Provider) => credentialsRef?.name ?? secretName;
  const isTooOld = live.secretName !== undefined && wanted.secretName === undefined;
  return live.type === wanted.type && nameOf(live) === nameOf(wanted) && !isTooOld;
}

const wantedVersion = ({ spec, configuration }: RenderingInput): string =>
  spec.shoot.kubernetes?.version || configuration.converter.kubernetes.defaultVersion;

export const createKubernetesVersion: Extender = (input) => ({ kubernetesVersion: wantedVersion(input) });

/** Gardener upgrades Kubernetes in the maintenance of a Shoot, and refuses an older version. */
export const patchKubernetesVersion: Extender<PatchInput> = (input) => ({
  kubernetesVersion: newerVersion(wantedVersion(input), input.live.spec?.kubernetes.version),
});

/** Whether and when Gardener upgrades. Only productive Shoots have a window of their region. */
export const maintenance: Extender = ({ spec: { shoot }, configuration }) => {
  const { converter, maintenanceWindows } = configuration;
  const window = shoot.purpose === 'production' ? maintenanceWindows.get(shoot.region) : undefined;
  return {
    spec: {
      maintenance: {
        autoUpdate: {
          kubernetesVersion: converter.kubernetes.enableKubernetesVersionAutoUpdate,
          machineImageVersion: converter.kubernetes.enableMachineImageVersionAutoUpdate,
        },
        ...(window === undefined ? {} : { timeWindow: { ...window } }),
      },
    },
  };
};

type Resource = GardenerSchemas['NamedResourceReference'];

const secret = (name: string, secretName: string): Resource => ({
  name,
  resourceRef: { apiVersion: 'v1', kind: 'Secret', name: secretName },
});

const auditCredentials = ({ secretName }: AuditTenant): Resource => secret(AUDIT_CREDENTIALS, secretName);

/** References to Secrets for extensions. */
export const createResources: Extender = ({ audit }) =>
  audit === undefined ? {} : { spec: { resources: [auditCredentials(audit)] } };

/** The references of the Shoot stay, with those to credentials of registry caches and of the audit log service as they should be. */
export const patchResources: Extender<PatchInput> = (input) => {
  const { live, audit, keepsCaches } = input;
  const others = (live.spec?.resources ?? []).filter(
    ({ name }) => keepsCaches || !name.includes(CACHE_SECRET_PREFIX),
  );
  const caches = keepsCaches ? [] : cachesOf(input);
  const names = new Set(caches.flatMap((cache) => secretOf(cache, input) ?? []));
  const found = [...others, ...[...names].map((name) => secret(name, name))];
  const resources = audit === undefined ? found : withOwn(found, auditCredentials(audit));
  const isSame = live.spec?.resources === undefined && resources.length === 0;
  return isSame ? {} : { spec: { resources } };
};

const withOwn = (resources: readonly Resource[], own: Resource): Resource[] =>
  resources.some(({ name }) => name === own.name)
    ? resources.map((each) => (each.name === own.name ? own : each))
    : [...resources, own];

/** Of a Runtime: its audit policy is an experimental one. The value counts without case. */
export const annotationExperimental = 'operator.kyma-project.io/experimental-audit-policy';
const EXPERIMENTAL = 'experimental-audit-policy';

/** What the API server logs for audits. */
export const auditPolicy: Extender = ({ audit, configuration, runtime }) => {
  if (audit === undefined) return {};
  const isExperimental = runtime.metadata.annotations?.[annotationExperimental]?.toLowerCase() === 'true';
  const name = isExperimental ? EXPERIMENTAL : configuration.converter.auditLogging.policyConfigMapName;
  return { kubeAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name } } } } };
};

const HOUR_MS = 3_600_000;
/** Gardener accepts 30 to 90 days. */
const [LEAST_MS, MOST_MS] = [720 * HOUR_MS, 2160 * HOUR_MS];

/** How long tokens of service accounts live in a new Shoot. A Shoot that exists keeps its own. */
export const tokenExpiration: Extender = ({ configuration }) => {
  const { maxTokenExpiration = LEAST_MS } = configuration.converter.kubernetes.kubeApiServer;
  const lifetime = Math.min(Math.max(maxTokenExpiration, LEAST_MS), MOST_MS);
  return {
    kubeAPIServer: {
      serviceAccountConfig: {
        extendTokenExpiration: false,
        maxTokenExpiration: formatDuration(lifetime),
      },
    },
  };
};

const vxlan = rawDocument({
  apiVersion: 'calico.networking.extensions.gardener.cloud/v1alpha1',
  kind: 'NetworkConfig',
  vxlan: { enabled: true },
  overlay: { enabled: true },
});

/** Families of addresses, and tunnels between nodes, of a new Shoot. Neither can change. */
export const networking: Extender = (input) => ({
  networking: {
    ...(usesDualStack(input) ? { ipFamilies: ['IPv4', 'IPv6'] } : {}),
    ...(input.spec.shoot.provider.type === 'gdch' ? { providerConfig: vxlan } : {}),
  },
});

/**
 * The objects of Gardener's administrators without which its API server accepts no Shoot: a project, cloud profiles, seeds,
 * credentials and what extensions register. For a real gardener-apiserver and for the simulated one.
 */
import type { Seed } from '../../../apis/gardener/kinds.ts';
import {
  CLOUD_PROFILES,
  EXTENSIONS,
  KUBERNETES_VERSIONS,
  MACHINE_IMAGES,
  MACHINE_TYPES,
  PROVIDERS,
  type ProviderType,
  REGIONS,
  VOLUME_TYPES,
} from './catalog.ts';

/** Below it, Gardener makes domains of Shoots that ask for none. */
export const DEFAULT_DOMAIN = 'shoots.example.org';

/** Its tolerations and access restrictions exist for tests of them. */
export const RESTRICTIONS = { toleration: 'ksa-assured-workload', access: 'eu-access-only' } as const;

const AUDIT_POLICY = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };

const CORE = 'core.gardener.cloud/v1beta1';
const SECURITY = 'security.gardener.cloud/v1alpha1';

/** An object with the path at which it is created. */
export interface LandscapeObject {
  readonly path: string;
  readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
}

/** The objects that a landscape has once, in the order in which they can be created. */
export function landscapeObjects(): LandscapeObject[] {
  const cluster = (plural: string, kind: string, name: string, content: object): LandscapeObject => ({
    path: `/apis/${CORE}/${plural}`,
    object: { apiVersion: CORE, kind, metadata: { name }, ...content } as LandscapeObject['object'],
  });
  const handler = { handler: 'converged-cloud-internet' };
  return [
    namespace('garden', {}),
    {
      path: '/api/v1/namespaces/garden/secrets',
      object: {
        metadata: {
          name: 'default-domain',
          namespace: 'garden',
          labels: { 'gardener.cloud/role': 'default-domain' },
          annotations: {
            'dns.gardener.cloud/provider': 'aws-route53',
            'dns.gardener.cloud/domain': DEFAULT_DOMAIN,
          },
        },
      } as LandscapeObject['object'],
    },
    cluster('controllerregistrations', 'ControllerRegistration', 'all', {
      spec: { resources: registrations() },
    }),
    cluster('exposureclasses', 'ExposureClass', 'converged-cloud-internet', handler),
    ...PROVIDERS.map((type) =>
      cluster('cloudprofiles', 'CloudProfile', CLOUD_PROFILES[type], cloudProfile(type)),
    ),
  ];
}

/** Of each project: what Shoots may refer to. */
export const REFERRED = { dnsSecret: 'dns', auditSecret: 'auditlog', auditPolicy: 'audit-policy' } as const;

/**
 * A project with a SecretBinding and a CredentialsBinding for each provider (`aws-binding` and so on), and with the Secrets and the ConfigMap that
 * Shoots refer to: Gardener refuses references to what does not exist.
 */
export function projectObjects(project: string): LandscapeObject[] {
  const inProject = `garden-${project}`;
  const labels = { 'gardener.cloud/role': 'project', 'project.gardener.cloud/name': project };
  const tolerations = { whitelist: [{ key: RESTRICTIONS.toleration }] };
  const projectObject = {
    apiVersion: CORE,
    kind: 'Project',
    metadata: { name: project },
    spec: { namespace: inProject, tolerations },
  };
  return [
    namespace(inProject, labels),
    { path: `/apis/${CORE}/projects`, object: projectObject },
    ...[REFERRED.dnsSecret, REFERRED.auditSecret].map((name) => ({
      path: `/api/v1/namespaces/${inProject}/secrets`,
      object: { metadata: { namespace: inProject, name } },
    })),
    {
      path: `/api/v1/namespaces/${inProject}/configmaps`,
      object: {
        metadata: { namespace: inProject, name: REFERRED.auditPolicy },
        data: { policy: JSON.stringify(AUDIT_POLICY) },
      } as LandscapeObject['object'],
    },
    ...PROVIDERS.flatMap((type): LandscapeObject[] => {
      const metadata = { name: `${type}-binding`, namespace: inProject };
      const reference = { provider: { type }, secretRef: { namespace: inProject, name: metadata.name } };
      const binding = { apiVersion: CORE, kind: 'SecretBinding', metadata, ...reference };
      const credentialsRef = { apiVersion: 'v1', kind: 'Secret', ...reference.secretRef };
      const newer = {
        ...{ apiVersion: SECURITY, kind: 'CredentialsBinding', metadata },
        ...{ provider: { type }, credentialsRef },
      };
      return [
        { path: `/api/v1/namespaces/${inProject}/secrets`, object: { metadata } },
        { path: `/apis/${SECURITY}/namespaces/${inProject}/credentialsbindings`, object: newer },
        { path: `/apis/${CORE}/namespaces/${inProject}/secretbindings`, object: binding },
      ];
    }),
  ];
}

/** A seed that takes Shoots of its provider, without the status that its gardenlet writes. */
export function seed(type: ProviderType, region: string): Seed {
  return {
    apiVersion: CORE,
    kind: 'Seed',
    metadata: { name: `${type}-${region}`, labels: { 'seed.gardener.cloud/region': region } },
    spec: {
      provider: { type, region, zones: [...(REGIONS[type][region] ?? ['a'])] },
      dns: { provider: { type: 'aws-route53', secretRef: { name: 'dns', namespace: 'garden' } } },
      ingress: { domain: `ingress.${type}-${region}.example.org`, controller: { kind: 'nginx' } },
      networks: { nodes: '192.168.0.0/18', pods: '192.168.64.0/18', services: '192.168.128.0/18' },
      settings: { scheduling: { visible: true } },
      accessRestrictions: [{ name: RESTRICTIONS.access }],
      taints: [],
    },
  };
}

/** What the gardenlet of a seed that takes Shoots writes. @param time RFC 3339 */
export function readySeedStatus(time: string): NonNullable<Seed['status']> {
  const condition = {
    status: 'True',
    lastTransitionTime: time,
    lastUpdateTime: time,
    reason: 'Ready',
    message: 'ready',
  };
  return {
    lastOperation: {
      type: 'Reconcile',
      state: 'Succeeded',
      progress: 100,
      description: 'Seed has been successfully reconciled',
      lastUpdateTime: time,
    },
    conditions: ['GardenletReady', 'BackupBucketsReady'].map((name) => ({ type: name, ...condition })),
  };
}

const namespace = (name: string, labels: Readonly<Record<string, string>>): LandscapeObject => ({
  path: '/api/v1/namespaces',
  object: { metadata: { name, labels } } as LandscapeObject['object'],
});

function registrations(): object[] {
  const resource = (kind: string, type: string) => ({ kind, type });
  const ofProvider = ['ControlPlane', 'Infrastructure', 'Worker', 'BackupBucket', 'BackupEntry'];
  return [
    ...PROVIDERS.flatMap((type) => ofProvider.map((kind) => resource(kind, type))),
    ...['calico', 'cilium'].map((type) => resource('Network', type)),
    ...['aws-route53', 'openstack-designate'].map((type) => resource('DNSRecord', type)),
    resource('OperatingSystemConfig', 'gardenlinux'),
    resource('ContainerRuntime', 'gvisor'),
    ...EXTENSIONS.map((type) => resource('Extension', type)),
  ];
}

function cloudProfile(type: ProviderType): object {
  return {
    spec: {
      type,
      kubernetes: { versions: KUBERNETES_VERSIONS.map((version) => ({ version })) },
      machineImages: [
        {
          name: 'gardenlinux',
          updateStrategy: 'major',
          versions: MACHINE_IMAGES.map((version) => ({
            version,
            architectures: ['amd64', 'arm64'],
            cri: [{ name: 'containerd', containerRuntimes: [{ type: 'gvisor' }] }],
          })),
        },
      ],
      machineTypes: MACHINE_TYPES[type].map((name) => ({
        ...{ name, cpu: '4', gpu: '0', memory: '16Gi', usable: true, architecture: 'amd64' },
      })),
      volumeTypes: VOLUME_TYPES[type].map((name) => ({ name, class: 'standard', usable: true })),
      regions: Object.entries(REGIONS[type]).map(([name, zones]) => ({
        name,
        zones: zones.map((zone) => ({ name: zone })),
        accessRestrictions: [{ name: RESTRICTIONS.access }],
      })),
    },
  };
}

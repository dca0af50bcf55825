/** Runtimes of all providers, plans and numbers of zones, and what users change in them. */
import type { Worker } from '../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type {
  Configuration,
  OidcProvider,
} from '../../../../internal/systems/infrastructure-manager/configuration/configuration.ts';
import {
  MACHINE_TYPES,
  PROVIDERS,
  type ProviderType,
  REGIONS,
  VOLUME_TYPES,
} from '../../../environment/gardener/catalog.ts';
import { REFERRED } from '../../../environment/gardener/landscape.ts';

const oidc: OidcProvider = {
  clientID: 'operator-client',
  groupsClaim: 'groups',
  issuerURL: 'https://operator.example.org',
  signingAlgs: ['RS256'],
  usernameClaim: 'sub',
  usernamePrefix: '-',
};

export const tenant = {
  tenantID: 'tenant-1',
  serviceURL: 'https://audit.example.org:8081',
  secretName: REFERRED.auditSecret,
};

/** What an administrator of the project writes. */
export const configurationOf = (
  project: string,
  { ownDns = true, enableCredentialBinding = false } = {},
): Configuration => ({
  converter: {
    kubernetes: {
      defaultVersion: '1.30.12',
      enableKubernetesVersionAutoUpdate: true,
      enableMachineImageVersionAutoUpdate: true,
      defaultOperatorOidc: oidc,
      kubeApiServer: {
        acl: { configMapName: '' },
        maxTokenExpiration: undefined,
        runtimeConfig: new Map(),
        featureGates: new Map(),
      },
      kubelet: { featureGates: new Map() },
    },
    dns: ownDns
      ? {
          secretName: REFERRED.dnsSecret,
          domainPrefix: `${project}.example.org`,
          providerType: 'aws-route53',
        }
      : { secretName: '', domainPrefix: '', providerType: '' },
    provider: {
      aws: { enableIMDSv2: true },
      gdch: {
        cloudProfileName: '',
        parentReferenceName: 'parent',
        parentReferenceNamespace: '',
        parentReferenceType: '',
      },
      worker: { defaultMaxEvictRetries: 2, defaultMachineDrainTimeout: '15m0s' },
    },
    machineImage: { defaultName: 'gardenlinux', defaultVersion: '1592.1.0' },
    gardener: { projectName: project, enableCredentialBinding },
    auditLogging: { policyConfigMapName: REFERRED.auditPolicy, tenantConfigPath: 'tenants.json' },
    maintenanceWindow: { windowMapPath: 'windows.json' },
    tolerations: new Map(),
    networking: { enableDualStackIP: true },
  },
  cluster: { defaultSharedIASTenant: oidc },
  warnings: [],
  auditTenants: new Map(),
  maintenanceWindows: new Map(
    PROVIDERS.map((type) => [regionOf(type), { begin: '200000+0000', end: '230000+0000' }]),
  ),
});

/** Fields of `spec.shoot` apart from the provider. */
export type ShootChange = Partial<Omit<RuntimeSpec['shoot'], 'provider'>>;

/** The first region of the provider. */
const regionOf = (type: ProviderType): string => Object.keys(REGIONS[type])[0] ?? '';
export const zonesOf = (type: ProviderType): readonly string[] => REGIONS[type][regionOf(type)] ?? [];

export function pool(type: ProviderType, zones: readonly string[], more: Partial<Worker> = {}): Worker {
  const [machine = '', volume = ''] = [MACHINE_TYPES[type][0], VOLUME_TYPES[type][0]];
  return {
    name: 'cpu-worker-0',
    minimum: zones.length,
    maximum: 20,
    machine: { type: machine, image: { name: 'gardenlinux', version: '1592.1.0' } },
    volume: { type: volume, size: '80Gi' },
    maxSurge: zones.length,
    maxUnavailable: 0,
    zones: [...zones],
    ...more,
  };
}

const LABELS = ['instance-id', 'runtime-id', 'region', 'broker-plan-id', 'broker-plan-name'];
const ACCOUNTS = {
  'kyma-project.io/global-account-id': 'account',
  'kyma-project.io/subaccount-id': 'subaccount',
};

/** A Runtime with the first zones of its region. */
export function runtimeOf(
  type: ProviderType,
  name: string,
  workers: readonly Worker[],
  more: ShootChange = {},
  spec: Partial<RuntimeSpec> = {},
): Runtime {
  const [main, ...additionalWorkers] = workers;
  if (main === undefined) throw new Error('a Runtime without a pool');
  return {
    apiVersion: 'infrastructuremanager.kyma-project.io/v1',
    kind: 'Runtime',
    metadata: {
      namespace: 'kcp-system',
      name,
      generation: 1,
      labels: {
        ...Object.fromEntries(LABELS.map((label) => [`kyma-project.io/${label}`, name])),
        ...ACCOUNTS,
        'operator.kyma-project.io/kyma-name': name,
      },
    },
    spec: {
      shoot: {
        name,
        purpose: 'production',
        platformRegion: 'cf-eu10',
        region: regionOf(type),
        secretBindingName: `${type}-binding`,
        kubernetes: { version: '1.30.12' },
        networking: {
          type: 'calico',
          nodes: '10.250.0.0/16',
          pods: '10.96.0.0/13',
          services: '10.104.0.0/13',
        },
        provider: { type, workers: [main], ...(additionalWorkers.length === 0 ? {} : { additionalWorkers }) },
        ...more,
      },
      security: {
        administrators: ['admin@example.org'],
        networking: { filter: { egress: { enabled: false } } },
      },
      ...spec,
    },
  };
}

/** Further pools, each in one of the zones. */
export const additionalPools = (type: ProviderType, zones: readonly string[], count: number): Worker[] =>
  Array.from({ length: count }, (_, index) =>
    pool(type, [zones[index % zones.length] ?? ''], { name: `extra-${index}`, minimum: 0 }),
  );

/** What Shoots of tests may choose from. */

export const PROVIDERS = ['aws', 'azure', 'gcp', 'openstack', 'alicloud', 'gdch'] as const;

export type ProviderType = (typeof PROVIDERS)[number];

/** The cloud profile of each provider, by the names that the infrastructure manager uses. */
export const CLOUD_PROFILES: Readonly<Record<ProviderType, string>> = {
  aws: 'aws',
  azure: 'az',
  gcp: 'gcp',
  openstack: 'converged-cloud-kyma',
  alicloud: 'alicloud',
  gdch: 'cat',
};

/** Regions with their zones. */
export const REGIONS: Readonly<Record<ProviderType, Readonly<Record<string, readonly string[]>>>> = {
  aws: zonesByLetter(['eu-central-1', 'eu-west-2', 'us-east-1', 'us-west-2', 'ap-south-1'], 'abcdef'),
  azure: Object.fromEntries(
    ['westeurope', 'switzerlandnorth', 'eastus', 'northeurope'].map((region) => [
      region,
      ['1', '2', '3', '4', '5', '6', '7', '8'],
    ]),
  ),
  gcp: zonesByLetter(['europe-west3', 'us-central1', 'me-central2', 'asia-south1'], 'abcdef', '-'),
  openstack: zonesByLetter(['eu-de-1', 'eu-de-2', 'ap-jp-1'], 'abdc'),
  alicloud: zonesByLetter(['eu-central-1', 'cn-shanghai'], 'abcd'),
  gdch: zonesByLetter(['us-gdch-1'], 'abc'),
};

function zonesByLetter(regions: readonly string[], letters: string, separator = '') {
  const zonesOf = (region: string) => [...letters].map((letter) => `${region}${separator}${letter}`);
  return Object.fromEntries(regions.map((region) => [region, zonesOf(region)]));
}

export const MACHINE_TYPES: Readonly<Record<ProviderType, readonly string[]>> = {
  aws: ['m6i.large', 'm6i.xlarge', 'm6i.2xlarge', 'm5.xlarge', 'c7i.large'],
  azure: ['Standard_D2s_v5', 'Standard_D4s_v5', 'Standard_D8s_v5', 'Standard_D4_v3'],
  gcp: ['n2-standard-2', 'n2-standard-4', 'n2-standard-8'],
  openstack: ['g_c2_m8', 'g_c4_m16', 'g_c8_m32'],
  alicloud: ['ecs.g8i.large', 'ecs.g8i.xlarge', 'ecs.g9i.large'],
  gdch: ['n3-standard-2-gdc', 'n3-standard-4-gdc'],
};

export const VOLUME_TYPES: Readonly<Record<ProviderType, readonly string[]>> = {
  aws: ['gp2', 'gp3'],
  azure: ['Standard_LRS', 'StandardSSD_LRS'],
  gcp: ['pd-balanced', 'pd-standard'],
  openstack: ['default'],
  alicloud: ['cloud_essd', 'cloud_essd_entry'],
  gdch: ['standard-rwo'],
};

export const KUBERNETES_VERSIONS = ['1.32.4', '1.31.8', '1.30.12', '1.29.14', '1.28.15'] as const;

export const MACHINE_IMAGES = [
  '1592.9.0',
  '1592.2.0',
  '1592.1.0',
  '1591.1.0',
  '1591.0.0',
  '1312.3.0',
] as const;

/** Types of extensions that are registered. */
export const EXTENSIONS = [
  'shoot-networking-filter',
  'shoot-cert-service',
  'shoot-dns-service',
  'shoot-oidc-service',
  'shoot-auditlog-service',
  'registry-cache',
  'acl',
  'shoot-nvidia-openshell',
];

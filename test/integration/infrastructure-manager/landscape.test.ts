/** The landscape of tests has all that Shoots of the infrastructure manager refer to: Gardener itself accepts them. */
import { expect, test } from '@jest/globals';
import { type ExtensionSchemas, type Shoot, type ShootSpec, shoots } from '../../../apis/gardener/kinds.ts';
import {
  CLOUD_PROFILES,
  KUBERNETES_VERSIONS,
  MACHINE_IMAGES,
  MACHINE_TYPES,
  PROVIDERS,
  type ProviderType,
  REGIONS,
  VOLUME_TYPES,
} from '../../environment/gardener/catalog.ts';
import { REFERRED, RESTRICTIONS } from '../../environment/gardener/landscape.ts';
import { forFile } from '../harness/for-file.ts';
import { openProject, sharedGarden } from '../harness/gardener/garden.ts';

const project = forFile(async () => openProject(await sharedGarden(), { stageMs: Number.POSITIVE_INFINITY }));

const nodes = '10.250.0.0/16';

const awsConfig: ExtensionSchemas['AwsInfrastructureConfig'] = {
  apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'InfrastructureConfig',
  networks: { vpc: { cidr: nodes }, zones: [] },
};
const azureConfig: ExtensionSchemas['AzureInfrastructureConfig'] = {
  apiVersion: 'azure.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'InfrastructureConfig',
  zoned: true,
  networks: { vnet: { cidr: nodes }, zones: [{ name: 1, cidr: '10.250.0.0/19' }] },
};
const gcpConfig: ExtensionSchemas['GcpInfrastructureConfig'] = {
  apiVersion: 'gcp.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'InfrastructureConfig',
  networks: { worker: nodes, workers: nodes },
};
const openstackConfig: ExtensionSchemas['OpenstackInfrastructureConfig'] = {
  apiVersion: 'openstack.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'InfrastructureConfig',
  floatingPoolName: 'FloatingIP-external-kyma-01',
  networks: { workers: nodes },
};
const alicloudConfig: ExtensionSchemas['AlicloudInfrastructureConfig'] = {
  apiVersion: 'alicloud.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'InfrastructureConfig',
  networks: { vpc: { cidr: nodes }, zones: [] },
};
const gdchConfig: ExtensionSchemas['GdchInfrastructureConfig'] = {
  apiVersion: 'gdch.provider.extensions.gardener.gdc.goog/v1alpha1',
  kind: 'InfrastructureConfig',
  networks: { nodeCIDR: nodes, zones: [] },
};
const CONFIGS = {
  ...{ aws: awsConfig, azure: azureConfig, gcp: gcpConfig },
  ...{ openstack: openstackConfig, alicloud: alicloudConfig, gdch: gdchConfig },
};

interface Choice {
  readonly region: string;
  readonly zones: readonly string[];
  readonly machine: string;
  readonly volume: string;
  readonly version: string;
  readonly image: string;
}

const shootOf = (type: ProviderType, choice: Choice, more: Partial<ShootSpec> = {}): Shoot => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { namespace: project.namespace, name: 'one' },
  spec: {
    cloudProfileName: CLOUD_PROFILES[type],
    region: choice.region,
    secretBindingName: `${type}-binding`,
    networking: { type: 'calico', nodes, pods: '10.96.0.0/13', services: '10.104.0.0/13' },
    kubernetes: { version: choice.version },
    ...(type === 'openstack' ? { exposureClassName: 'converged-cloud-internet' } : {}),
    provider: {
      type,
      infrastructureConfig: { ...CONFIGS[type] },
      workers: [
        {
          name: 'cpu-worker-0',
          minimum: 3,
          maximum: 20,
          machine: { type: choice.machine, image: { name: 'gardenlinux', version: choice.image } },
          volume: { type: choice.volume, size: '80Gi' },
          zones: choice.zones.slice(0, 3),
        },
      ],
    },
    ...more,
  },
});

/** Every value of each list at least once; the lists are walked side by side. */
function choices(type: ProviderType): Choice[] {
  const regions = Object.entries(REGIONS[type]);
  const lists = [MACHINE_TYPES[type], VOLUME_TYPES[type], KUBERNETES_VERSIONS, MACHINE_IMAGES] as const;
  const count = Math.max(regions.length, ...lists.map(({ length }) => length));
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
  return Array.from({ length: count }, (_, index) => {
    const [region, zones] = at(regions, index);
    const [machine, volume, version, image] = lists.map((list) => at<string>(list, index)) as [
      string,
      string,
      string,
      string,
    ];
    return { region, zones, machine, volume, version, image };
  });
}

const accepted = (shoot: Shoot) => project.client.create(shoots, shoot, { dryRun: true });

test.each(PROVIDERS)(
  'Shoots of %s are accepted, with each region, machine, volume, version and image',
  async (type) => {
    for (const choice of choices(type)) {
      expect((await accepted(shootOf(type, choice))).spec?.region).toBe(choice.region);
    }
  },
);

test('a Shoot may have a domain of its own, an audit policy, tolerations and access restrictions', async () => {
  const [choice] = choices('aws');
  if (choice === undefined) throw new Error('no choice');
  const domain = `one.${project.project}.example.org`;
  const shoot = shootOf('aws', choice, {
    dns: { domain, providers: [{ type: 'aws-route53', secretName: REFERRED.dnsSecret, primary: true }] },
    tolerations: [{ key: RESTRICTIONS.toleration }],
    accessRestrictions: [{ name: RESTRICTIONS.access }],
    resources: [
      {
        name: 'auditlog-credentials',
        resourceRef: { apiVersion: 'v1', kind: 'Secret', name: REFERRED.auditSecret },
      },
    ],
    kubernetes: {
      version: choice.version,
      kubeAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name: REFERRED.auditPolicy } } } },
    },
  });
  expect((await accepted(shoot)).spec).toMatchObject({
    dns: { domain },
    tolerations: shoot.spec?.tolerations,
  });
});

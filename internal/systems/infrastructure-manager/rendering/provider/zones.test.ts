/** Subnets of zones in InfrastructureConfig. */
import { describe, expect, test } from '@jest/globals';
import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../../framework/base/json/json-value.ts';
import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { awsSubnets, azureSubnets } from './oracle.fixture.ts';

type AwsConfig = ExtensionSchemas['AwsInfrastructureConfig'];
type AzureConfig = ExtensionSchemas['AzureInfrastructureConfig'];

const letters = [...'abcdefgh'];
const numbers = [...'12345678'];
const awsZones = (config: object) => (config as AwsConfig).networks.zones;
const azureZones = (config: object) => (config as AzureConfig).networks.zones;
const ranges = ['10.250.0.0/16', '10.250.0.0/17', '10.250.0.0/22', '10.180.0.0/23', '10.250.0.0/24'];
const counts = [1, 2, 3, 4, 5, 6, 7, 8];
const cases = ranges.flatMap((nodes) => counts.map((count) => [nodes, count] as const));

describe('aws', () => {
  test.each(cases)('[I125] %s for %i zones', (nodes, count) => {
    const zones = letters.slice(0, count);
    const expected = awsSubnets(nodes, count).map((each, index) => ({ name: zones[index], ...each }));
    expect(awsZones(aws.create(nodes, zones))).toEqual(expected);
  });

  test.each([
    ['10.250.0.0/16', 4, '10.250.192.0/22', '10.250.196.0/22', '10.250.200.0/22'],
    ['10.250.0.0/22', 1, '10.250.0.0/25', '10.250.0.128/26', '10.250.0.192/26'],
    ['10.250.0.0/22', 4, '10.250.3.0/28', '10.250.3.16/28', '10.250.3.32/28'],
    ['10.250.0.0/22', 8, '10.250.3.192/28', '10.250.3.208/28', '10.250.3.224/28'],
    ['10.180.0.0/23', 4, '10.180.1.128/29', '10.180.1.136/29', '10.180.1.144/29'],
    ['10.250.0.0/24', 8, '10.250.0.240/30', '10.250.0.244/30', '10.250.0.248/30'],
  ])('[I125] %s, zone %i', (nodes, zone, workers, publicRange, internal) => {
    expect(awsZones(aws.create(nodes, letters))[zone - 1]).toEqual({
      name: letters[zone - 1],
      workers,
      public: publicRange,
      internal,
    });
  });

  const refusals: readonly [what: string, nodes: string, zones: readonly string[], message: string][] = [
    ['no zones', '10.0.0.0/16', [], 'Number of networking zones must be between 1 and 8'],
    ['nine zones', '10.0.0.0/16', [...letters, 'i'], 'Number of networking zones must be between 1 and 8'],
    ['a repeated zone', '10.0.0.0/16', ['a', 'b', 'a'], 'zone name "a" is duplicated'],
    ['a short prefix', '10.0.0.0/15', ['a'], 'CIDR prefix length must be between 16 and 24'],
    ['a long prefix', '10.0.0.0/25', ['a'], 'CIDR prefix length must be between 16 and 24'],
    ['all addresses', '0.0.0.0/0', ['a'], 'CIDR prefix length must be between 16 and 24'],
    ['no range', '', ['a'], '"" is not an IPv4 range such as 10.250.0.0/16'],
    ['a wrong range', '888.888.888.0/77', ['a'], '"888.888.888.0/77" is not an IPv4 range'],
    ['an octal number', '010.0.0.0/16', ['a'], '"010.0.0.0/16" is not an IPv4 range'],
    ['IPv6', 'fd00::/16', ['a'], '"fd00::/16" is not an IPv4 range'],
    ['a long text', '1'.repeat(1e6), ['a'], 'is not an IPv4 range'],
  ];
  test.each(refusals)('[I126] %s', (_, nodes, zones, message) => {
    expect(() => aws.create(nodes, zones)).toThrow(message);
  });

  test('an address at the end of its range leaves no room for a zone', () => {
    expect(() => aws.create('10.250.224.0/16', ['a'])).toThrow(
      'spec.shoot.networking.nodes: calculated subnet CIDR 10.251.0.0/20 is not contained in main worker CIDR 10.250.0.0/16',
    );
  });

  const vendor = deepFreeze({
    apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
    kind: 'InfrastructureConfig',
    enableECRAccess: true,
    dualStack: { enabled: true },
    ignoreTags: { keys: ['k'], keyPrefixes: ['p'] },
    networks: {
      vpc: { id: 'vpc-1', gatewayEndpoints: ['s3'] },
      zones: awsZones(aws.create('10.250.0.0/16', ['c', 'a'])).map((zone) => ({
        ...zone,
        elasticIPAllocationID: `eip-${zone.name}`,
      })),
    },
  });

  test('[I127] a further zone changes nothing else', () => {
    const further = awsZones(aws.create('10.250.0.0/16', ['c', 'a', 'b']))[2];
    expect(aws.addZones(vendor, '10.250.0.0/16', ['a', 'b'])).toEqual({
      ...vendor,
      networks: { ...vendor.networks, zones: [...vendor.networks.zones, further] },
    });
    expect(aws.addZones(vendor, '10.250.0.0/16', ['a'])).toBe(vendor);
  });

  test('[I126] more than eight zones with those of the Shoot', () => {
    expect(() => aws.addZones(vendor, '10.250.0.0/16', [...letters, 'i'])).toThrow(
      'Number of networking zones must be between 1 and 8',
    );
  });

  const withZones = (zones: unknown) => ({ ...vendor, networks: { zones } });
  test.each<[what: string, zones: unknown, message: string]>([
    ['repeated', [...vendor.networks.zones, vendor.networks.zones[0]], 'zone name "c" is duplicated'],
    ['no list', {}, 'it is not a list'],
    ['without name', [{}], 'zone 0 has no name'],
    ['without subnets', [{ name: 'a' }], 'workers of zone "a" is not an IPv4 range'],
    [
      'everywhere',
      [{ name: 'a', workers: '0.0.0.0/0', public: '0.0.0.0/0', internal: '0.0.0.0/0' }],
      'it has no free subnet for zone "b"',
    ],
  ])('[I127] zones of the Shoot that are %s', (_, zones, message) => {
    expect(() => aws.addZones(withZones(zones), '10.250.0.0/16', ['b'])).toThrow(message);
  });

  test('subnets that cannot be read matter only if a zone is added', () => {
    const odd = withZones([{ name: 'a' }]);
    expect(aws.addZones(odd, '10.250.0.0/16', ['a'])).toBe(odd);
  });

  test('a further zone never gets addresses of others, whatever the subnets of the Shoot are', () => {
    const own = { name: 'a', workers: '10.250.64.0/20', public: '10.250.80.0/24', internal: '10.250.0.0/24' };
    const added = awsZones(aws.addZones(withZones([own]), '10.250.0.0/16', ['b']));
    expect(added[1]).toMatchObject({ name: 'b', workers: '10.250.128.0/19' });
  });
});

describe('azure', () => {
  const natGateway = { enabled: true, idleConnectionTimeoutMinutes: 4 };

  test.each(cases)('[I128] %s for %i zones', (nodes, count) => {
    const zones = numbers.slice(0, count);
    const subnets = azureSubnets(nodes, count);
    expect(azure.create(nodes, zones)).toMatchObject({ zoned: true, networks: { vnet: { cidr: nodes } } });
    expect(azureZones(azure.create(nodes, zones))).toEqual(
      subnets.map((cidr, index) => ({ name: index + 1, cidr, natGateway })),
    );
  });

  test('[I128] without zones', () => {
    expect(azure.create('10.250.0.0/16', [])).toEqual({
      apiVersion: 'azure.provider.extensions.gardener.cloud/v1alpha1',
      kind: 'InfrastructureConfig',
      networks: { vnet: { cidr: '10.250.0.0/16' } },
      zoned: false,
    });
  });

  test('[I128] subnets go by the order of the zones and not by their names', () => {
    const zones = azureZones(azure.create('10.250.0.0/22', ['3', '2', '1']));
    expect(zones?.map(({ name, cidr }) => [name, cidr])).toEqual([
      [3, '10.250.0.0/25'],
      [2, '10.250.0.128/25'],
      [1, '10.250.1.0/25'],
    ]);
  });

  const live = deepFreeze({
    ...azure.create('10.250.0.0/16', ['2', '1']),
    resourceGroup: { name: 'group' },
    networks: {
      vnet: { name: 'net', resourceGroup: 'group', cidr: '10.250.0.0/16', ddosProtectionPlanID: 'plan' },
      serviceEndpoints: ['sql'],
      natGateway: { enabled: false },
      zones: [
        { name: 2, cidr: '10.250.0.0/19', serviceEndpoints: ['sql'], natGateway: { enabled: false } },
        { name: 1, cidr: '10.250.32.0/19' },
      ],
    },
  });

  test('[I130] a further zone changes nothing else', () => {
    const further = { name: 4, cidr: '10.250.64.0/19', natGateway };
    expect(azure.addZones(live, '10.250.0.0/16', ['4', '1'])).toEqual({
      ...live,
      networks: { ...live.networks, zones: [...live.networks.zones, further] },
    });
  });

  const refusals: readonly [what: string, nodes: string, zones: readonly string[], message: string][] = [
    ['nine zones', '10.0.0.0/16', [...numbers, '9'], 'Number of networking zones must be between 0 and 8'],
    ['a short prefix', '10.0.0.0/15', ['3'], 'CIDR prefix length must be bigger than or equal to 16'],
    ['a long prefix', '10.0.0.0/25', ['3'], 'CIDR prefix length must be less than or equal to 24'],
    ['no range', '', ['3'], '"" is not an IPv4 range'],
    ['a wrong range', '10.0.0/16', ['3'], '"10.0.0/16" is not an IPv4 range'],
    ['a name', '10.0.0.0/16', ['not a number'], 'zone name "not a number" is not valid'],
    ['the number 9', '10.0.0.0/16', ['9'], 'zone name "9" is not valid, must be between 1 and 8'],
    ['the number 0', '10.0.0.0/16', ['0'], 'zone name "0" is not valid, must be between 1 and 8'],
  ];
  test.each(refusals)('[I129] %s', (_, nodes, zones, message) => {
    expect(() => azure.create(nodes, zones)).toThrow(message);
    expect(() => azure.addZones(live, nodes, zones)).toThrow(message);
  });
  test('[I129] a repeated zone', () => {
    expect(() => azure.create('10.0.0.0/16', ['1', '2', '1'])).toThrow('zone name "1" is duplicated');
  });

  test('[I123] a network without zones gets none', () => {
    const lite = { ...live, networks: { vnet: {} } };
    expect(azure.addZones(lite, '10.250.0.0/16', ['1', '2'])).toBe(lite);
  });
});

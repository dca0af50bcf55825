/** Subnets of zones on alicloud and gdch. */
import { describe, expect, test } from '@jest/globals';
import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../../framework/base/json/json-value.ts';
import { alicloud } from './alicloud.ts';
import { gdch } from './gdch.ts';

const letters = [...'abcdefgh'];

const alicloudZones = (config: object) =>
  (config as ExtensionSchemas['AlicloudInfrastructureConfig']).networks.zones;
const gdchZones = (config: object) => (config as ExtensionSchemas['GdchInfrastructureConfig']).networks.zones;

describe('alicloud', () => {
  test.each([
    ['10.250.0.0/16', [0, 32, 64, 96, 128, 160, 192, 224].map((third) => `10.250.${third}.0/19`)],
    ['10.180.0.0/17', ['10.180.0.0/20', '10.180.16.0/20', '10.180.32.0/20']],
    ['10.250.0.0/22', [0, 1, 2, 3].flatMap((third) => [`10.250.${third}.0/25`, `10.250.${third}.128/25`])],
    [
      '10.250.0.0/23',
      [0, 1].flatMap((third) => [0, 64, 128, 192].map((last) => `10.250.${third}.${last}/26`)),
    ],
    ['10.180.0.0/23', ['10.180.0.0/26', '10.180.0.64/26']],
    ['10.250.0.0/24', [0, 32, 64, 96, 128, 160, 192, 224].map((last) => `10.250.0.${last}/27`)],
  ])('[N122] %s', (nodes, workers) => {
    const zones = letters.slice(0, workers.length);
    expect(alicloud.create(nodes, zones)).toEqual({
      apiVersion: 'alicloud.provider.extensions.gardener.cloud/v1alpha1',
      kind: 'InfrastructureConfig',
      networks: {
        vpc: { cidr: nodes },
        zones: workers.map((each, index) => ({ name: zones[index], workers: each })),
      },
    });
    expect(alicloud.controlPlane(zones)).toEqual({
      apiVersion: 'alicloud.provider.extensions.gardener.cloud/v1alpha1',
      kind: 'ControlPlaneConfig',
    });
  });

  test.each([
    ['10.0.0.0/16', [...letters, 'i'], 'Number of networking zones must be between 0 and 8'],
    ['10.0.0.0/16', ['a', 'a'], 'zone name "a" is duplicated'],
    ['10.0.0.0/25', ['a'], 'CIDR prefix length must be less than or equal to 24'],
    ['10.0.0.0/15', ['a'], 'CIDR prefix length must be bigger than or equal to 16'],
    ['nothing', ['a'], '"nothing" is not an IPv4 range'],
  ])('[N122] %s with zones %j is refused', (nodes, zones, message) => {
    expect(() => alicloud.create(nodes, zones)).toThrow(message);
  });

  test('[N122] a further zone changes nothing else', () => {
    const live = deepFreeze({ ...alicloud.create('10.250.0.0/16', ['b', 'a']), theirs: 1 });
    const changed = alicloud.addZones(live, '10.250.0.0/16', ['a', 'c']);
    expect(changed).toMatchObject({ theirs: 1 });
    expect(alicloudZones(changed)).toEqual([
      ...alicloudZones(live),
      { name: 'c', workers: '10.250.64.0/19' },
    ]);
    expect(alicloud.addZones(live, '10.250.0.0/16', ['a'])).toBe(live);
    expect(alicloudZones(alicloud.create('10.250.0.0/16', []))).toEqual([]);
  });
});

describe('gdch', () => {
  test.each([
    ['10.72.0.0/19', ['10.72.0.0/19']],
    ['10.72.0.0/19', ['10.72.0.0/20', '10.72.16.0/20']],
    ['10.72.0.0/19', ['10.72.0.0/21', '10.72.8.0/21', '10.72.16.0/21']],
    ['10.72.0.0/24', ['10.72.0.0/24']],
    ['10.72.0.0/24', ['10.72.0.0/25', '10.72.0.128/25']],
    ['10.72.0.0/24', ['10.72.0.0/26', '10.72.0.64/26', '10.72.0.128/26']],
    ['10.180.0.0/16', ['10.180.0.0/16']],
    ['10.180.0.0/16', ['10.180.0.0/18', '10.180.64.0/18', '10.180.128.0/18']],
    ['10.72.0.0/22', ['10.72.0.0/24', '10.72.1.0/24', '10.72.2.0/24']],
    ['10.72.0.0/30', ['10.72.0.0/32', '10.72.0.1/32', '10.72.0.2/32']],
    ['10.72.0.0/31', ['10.72.0.0/32', '10.72.0.1/32']],
    ['10.72.0.0/32', ['10.72.0.0/32']],
  ])('[N122] %s for zones %j', (nodes, ranges) => {
    const zones = letters.slice(0, ranges.length);
    const parentReference = { name: 'parent' };
    expect(gdch.create(nodes, zones, { parentReference })).toEqual({
      apiVersion: 'gdch.provider.extensions.gardener.gdc.goog/v1alpha1',
      kind: 'InfrastructureConfig',
      enableEgress: true,
      networks: {
        nodeCIDR: nodes,
        zones: ranges.map((CIDR, index) => ({ name: zones[index], CIDR })),
        parentReference,
      },
    });
    expect(gdch.controlPlane(zones)).toEqual({
      apiVersion: 'gdch.provider.extensions.gardener.gdc.goog/v1alpha1',
      kind: 'ControlPlaneConfig',
    });
  });

  test.each([
    ['10.0.0.0/16', [], 'got 0: zone count must be between 1 and 3'],
    ['10.0.0.0/16', letters.slice(0, 4), 'got 4: zone count must be between 1 and 3'],
    ['10.0.0.0/16', ['x', 'x'], '"x" repeated: zone names must be unique'],
    [
      '10.0.0.0/32',
      ['a', 'b'],
      'prefix /32 too small for 2 zones: nodeCIDR prefix too small for requested zone count',
    ],
    ['10.0.0.0/31', ['a', 'b', 'c'], 'prefix /31 too small for 3 zones'],
    ['fd00::/64', ['a'], '"fd00::/64": invalid nodeCIDR: must be a parseable IPv4 CIDR'],
  ])('[N122] %s with zones %j is refused', (nodes, zones, message) => {
    expect(() => gdch.create(nodes, zones)).toThrow(message);
  });

  test('[N123] zones of a Shoot keep their subnets, so none is added', () => {
    const live = deepFreeze(gdch.create('10.250.0.0/22', ['a']));
    expect(gdch.addZones(live, '10.250.0.0/22', ['a'])).toBe(live);
    expect(() => gdch.addZones(live, '10.250.0.0/22', ['a', 'b'])).toThrow(
      'spec.shoot.provider.workers.zones: zones cannot be added to a Shoot on gdch, since subnets of its zones would change: "b"',
    );
    expect(gdchZones(live)).toEqual([{ name: 'a', CIDR: '10.250.0.0/22' }]);
  });
});

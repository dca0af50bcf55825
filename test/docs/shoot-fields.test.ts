/** The page about the Shoot of a Runtime has what is rendered. */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Shoot } from '../../apis/gardener/kinds.ts';
import { isObject, valueAt } from '../../internal/framework/base/json/json-value.ts';
import type { Configuration } from '../../internal/systems/infrastructure-manager/configuration/configuration.ts';
import { createShootRendering } from '../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { configurationOf, pool, runtimeOf, tenant } from '../contract/gardener/rendering/choices.ts';

const page = await readFile(new URL('../../docs/infrastructure-manager/shoot.md', import.meta.url), 'utf8');

/** Rows of the table under a heading. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const lines =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('|')) ?? [];
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const documented = rowsUnder('Fields').flatMap(([field = '', , patch = '']) =>
  field.startsWith('`') ? [{ field: field.slice(1, -1), isPatched: patch !== 'no' }] : [],
);

/** What administrators can configure. */
function everything(): Configuration {
  const { converter, ...others } = configurationOf('kyma', { enableCredentialBinding: true });
  const gates = new Map([['A', true]]);
  const { kubernetes } = converter;
  const kubeApiServer = { ...kubernetes.kubeApiServer, featureGates: gates, runtimeConfig: gates };
  return {
    ...others,
    converter: {
      ...converter,
      kubernetes: { ...kubernetes, kubeApiServer, kubelet: { featureGates: gates } },
      tolerations: new Map([['me-central2', [{ key: 'ksa-assured-workload' }]]]),
    },
  };
}

/** Shoots with every field: new ones, and their patches. */
function rendered() {
  const renderings = [createShootRendering(configurationOf('kyma')), createShootRendering(everything())];
  const controlPlane = { highAvailability: { failureTolerance: { type: 'zone' } } };
  const special = {
    region: 'me-central2',
    platformRegion: 'cf-eu11',
    enforceSeedLocation: true,
    controlPlane,
  };
  const networking = { nodes: '10.250.0.0/16', pods: '10.96.0.0/13', services: '10.104.0.0/13' };
  const kubernetes = { kubeAPIServer: { acl: { allowedCIDRs: ['198.51.100.0/24'] } } };
  const runtimes = [
    runtimeOf('aws', 'two', [pool('aws', ['a'])], {
      ...{ kubernetes, enableNvidiaOpenshell: true },
      networking: { ...networking, dualStack: true },
    }),
    runtimeOf('openstack', 'one', [pool('openstack', ['a'])], special),
    runtimeOf('gdch', 'three', [pool('gdch', ['a'])]),
  ];
  const facts = {
    audit: tenant,
    accessControl: { operators: ['198.51.100.0/24'], controlPlane: '203.0.113.7/32' },
  };
  const shoots = runtimes.flatMap((runtime) =>
    renderings.map((rendering) => ({ runtime, rendering, shoot: rendering.create(runtime, facts) })),
  );
  return {
    created: shoots.map(({ shoot }) => shoot),
    patched: shoots.map(({ runtime, rendering, shoot }) =>
      rendering.patch(runtime, withOtherCredentials(shoot), facts),
    ),
  };
}

/** Of its DNS provider, so that a patch replaces it. */
function withOtherCredentials(shoot: Shoot): Shoot {
  const { spec } = shoot;
  const [provider] = spec?.dns?.providers ?? [];
  if (spec === undefined || provider === undefined) throw new Error('a Shoot without DNS');
  const { credentialsRef: _, ...other } = { ...provider, secretName: 'other' };
  return { ...shoot, spec: { ...spec, dns: { ...spec.dns, providers: [other] } } };
}

/** Paths of all values that are no objects. */
const leavesOf = (value: unknown, path: string): string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, member]) => leavesOf(member, path === '' ? key : `${path}.${key}`))
    : [path];

const { created, patched } = rendered();

test.each(documented)('$field is rendered, in patches too: $isPatched', ({ field, isPatched }) => {
  const has = (list: readonly object[]) =>
    list.some((shoot) => valueAt(shoot, field.split('.')) !== undefined);
  expect(has(created)).toBe(true);
  expect(has(patched)).toBe(isPatched);
});

test('every field that is rendered is on the page', () => {
  const fields = documented.map(({ field }) => field);
  expect(fields.length).toBeGreaterThan(25);
  const leaves = new Set([...created, ...patched].flatMap((shoot) => leavesOf(shoot, '')));
  const known = ['apiVersion', 'kind', ...fields];
  expect([...leaves].filter((leaf) => !known.some((field) => `${leaf}.`.startsWith(`${field}.`)))).toEqual(
    [],
  );
});

test('the networks of the example are those of the zones', () => {
  const zones = ['1', '2', '3', '4'];
  const zonesOf = (type: 'aws' | 'azure') => {
    const runtime = runtimeOf(type, 'one', [pool(type, zones)]);
    const { spec } = createShootRendering(configurationOf('kyma')).create(runtime, { audit: tenant });
    return valueAt(spec?.provider.infrastructureConfig, ['networks', 'zones']) as Record<string, string>[];
  };
  const [aws, azure] = [zonesOf('aws'), zonesOf('azure')];
  const rows = rowsUnder('Networks of the zones').filter(([, workers = '']) => workers.startsWith('10.'));
  expect(rows.map(([, ...ranges]) => ranges)).toEqual(
    aws.map((zone, index) => [zone.workers, zone.public, zone.internal, azure[index]?.cidr]),
  );
});

test('extensions are on the page', () => {
  const types = created[0]?.spec?.extensions?.map(({ type }) => `\`${type}\``);
  expect(
    rowsUnder('Extensions')
      .map(([type]) => type)
      .slice(2),
    // Not part of a new Shoot.
  ).toEqual([...(types ?? []), '`registry-cache`']);
});

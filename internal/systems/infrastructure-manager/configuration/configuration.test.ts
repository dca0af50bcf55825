import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { ConfigurationError } from '../../../framework/base/configuration/configuration.ts';
import { temporaryFolders } from '../../../framework/base/temporary-folder.fixture.ts';
import { loadConfiguration } from './configuration.ts';

const folder = temporaryFolders('configuration-');

const oidc = {
  clientID: 'client',
  groupsClaim: 'groups',
  issuerURL: 'https://issuer.example.org',
  signingAlgs: ['RS256'],
  usernameClaim: 'sub',
  usernamePrefix: '-',
};

const converter = () => ({
  kubernetes: {
    defaultVersion: '1.31.8',
    enableKubernetesVersionAutoUpdate: true,
    enableMachineImageVersionAutoUpdate: true,
    defaultOperatorOidc: oidc,
  },
  dns: { secretName: 'dns', domainPrefix: 'example.org', providerType: 'aws-route53' },
  provider: { aws: { enableIMDSv2: true } },
  machineImage: { defaultName: 'gardenlinux', defaultVersion: '1592.1.0' },
  gardener: { projectName: 'kyma' },
  auditLogging: { policyConfigMapName: 'policy', tenantConfigPath: join(folder(), 'tenants.json') },
  maintenanceWindow: { windowMapPath: join(folder(), 'windows.json') },
});

/** Members of `kubernetes` with the API server. */
const withServer = (kubeApiServer: object) => ({
  defaultVersion: '1.31.8',
  defaultOperatorOidc: oidc,
  kubeApiServer,
});

const tenant = { tenantID: 't', serviceURL: 'https://audit.example.org:8081', secretName: 's' };
const window = { begin: '200000+0000', end: '230000-0130' };

const write = (name: string, content: unknown) =>
  writeFile(
    join(folder(), name),
    typeof content === 'string' ? content : JSON.stringify(content, undefined, '\t'),
  );

interface Files {
  readonly converter?: object;
  readonly cluster?: object | undefined;
  readonly tenants?: unknown;
  readonly windows?: unknown;
  /** In place of the converter configuration. */
  readonly text?: string;
}

async function load(files: Files = {}) {
  const cluster = 'cluster' in files ? files.cluster : { defaultSharedIASTenant: oidc };
  await write('config.json', files.text ?? { converter: { ...converter(), ...files.converter }, cluster });
  await write('tenants.json', files.tenants ?? { aws: { 'eu-central-1': tenant } });
  await write('windows.json', files.windows ?? { 'eu-central-1': window });
  return loadConfiguration({ path: join(folder(), 'config.json'), project: 'kyma' });
}

/** Without the folder. */
const refusal = (files: Files): Promise<string> =>
  load(files).then(
    () => 'nothing was thrown',
    (error: unknown) => {
      expect(error).toBeInstanceOf(ConfigurationError);
      return (error as Error).message.replaceAll(`${folder()}/`, '');
    },
  );

test('all three files, indented by tabs', async () => {
  const loaded = await load();
  expect(loaded.converter).toMatchObject(converter());
  expect(loaded.warnings).toEqual([]);
  expect(loaded.cluster.defaultSharedIASTenant).toEqual(oidc);
  expect(loaded.auditTenants.get('aws')?.get('eu-central-1')).toEqual(tenant);
  expect(loaded.maintenanceWindows.get('eu-central-1')).toEqual(window);
});

test('names of members in any case, as Go reads them; names of providers and regions as they are', async () => {
  const renamed = (value: object): object =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        `${name[0]?.toUpperCase()}${name.slice(1).toLowerCase()}`,
        typeof member === 'object' && !Array.isArray(member) ? renamed(member) : member,
      ]),
    );
  const { maintenanceWindow, ...others } = converter();
  const loaded = await load({
    text: JSON.stringify(
      renamed({
        converter: { ...others, maintenanceWindow },
        cluster: { DefaultSharedIASTenant: oidc },
      }),
    ),
    tenants: { aws: { 'EU-central-1': renamed(tenant) } },
    windows: { 'EU-central-1': renamed(window) },
  });
  expect(loaded).toMatchObject({ converter: converter(), cluster: { defaultSharedIASTenant: oidc } });
  expect(loaded.auditTenants.get('aws')?.get('EU-central-1')).toEqual(tenant);
  expect(loaded.maintenanceWindows.get('EU-central-1')).toEqual(window);
});

test('[N4] what may be absent', async () => {
  const { kubernetes } = converter();
  const { defaultVersion, defaultOperatorOidc } = kubernetes;
  const loaded = await load({
    converter: {
      kubernetes: { defaultVersion, defaultOperatorOidc },
      dns: undefined,
      provider: null,
      maintenanceWindow: undefined,
    },
  });
  expect(loaded.converter).toMatchObject({
    kubernetes: {
      enableKubernetesVersionAutoUpdate: false,
      enableMachineImageVersionAutoUpdate: false,
      kubeApiServer: { acl: { configMapName: '' }, maxTokenExpiration: undefined },
    },
    dns: { secretName: '', domainPrefix: '', providerType: '' },
    provider: {
      aws: { enableIMDSv2: false },
      gdch: { cloudProfileName: '' },
      worker: { defaultMaxEvictRetries: 2, defaultMachineDrainTimeout: '15m0s' },
    },
    gardener: { enableCredentialBinding: false },
    networking: { enableDualStackIP: false },
  });
  expect(loaded.converter.tolerations.size).toBe(0);
  expect(loaded.maintenanceWindows.size).toBe(0);
});

test.each<[what: string, files: Files, message: string]>([
  [
    'an empty text',
    { converter: { machineImage: { defaultName: '', defaultVersion: '1' } } },
    'config.json:29:19: converter.machineImage.defaultName: want a text that is not empty',
  ],
  [
    'a number in place of a text',
    { converter: { machineImage: { defaultName: 'a', defaultVersion: 1592 } } },
    'config.json:30:22: converter.machineImage.defaultVersion: want a text: put it in quotes',
  ],
  [
    'a text in place of an object',
    { converter: { dns: 'dns' } },
    'config.json:18:10: converter.dns: want an object',
  ],
  [
    'a text in place of a switch',
    { converter: { provider: { aws: { enableIMDSv2: 'true' } } } },
    'config.json:25:21: converter.provider.aws.enableIMDSv2: want true or false',
  ],
  [
    'a text in place of a list',
    { cluster: { defaultSharedIASTenant: { ...oidc, signingAlgs: 'RS256' } } },
    'config.json:48:19: cluster.defaultSharedIASTenant.signingAlgs: want a list of texts',
  ],
  [
    'an entry of a list that is no text',
    { cluster: { defaultSharedIASTenant: { ...oidc, signingAlgs: ['RS256', 1] } } },
    'config.json:50:5: cluster.defaultSharedIASTenant.signingAlgs[1]: want a text: put it in quotes',
  ],
  [
    'another project',
    { converter: { gardener: { projectName: 'other' } } },
    'config.json:33:19: converter.gardener.projectName: it is other, but --gardener-project-name is kyma',
  ],
  [
    'a text that ends early',
    { text: '{\n  "converter": {' },
    'config.json:2:17: it is not valid YAML or JSON (BAD_INDENT)',
  ],
  [
    'YAML that is indented wrongly',
    { text: 'converter:\n  kubernetes:\n    defaultVersion: 1\n   other: 2' },
    'config.json:4:1: it is not valid YAML or JSON (BAD_INDENT)',
  ],
  [
    '[N5] a lifetime of tokens in days',
    { converter: { kubernetes: withServer({ maxTokenExpiration: '30d' }) } },
    'config.json:16:27: converter.kubernetes.kubeApiServer.maxTokenExpiration: want a duration such as 90s or 1m30s',
  ],
  [
    'a number of retries that is none',
    { converter: { provider: { worker: { defaultMaxEvictRetries: 'two' } } } },
    'config.json:25:31: converter.provider.worker.defaultMaxEvictRetries: want a whole number, 0 to 2147483647',
  ],
  [
    'a time for draining that is none',
    { converter: { provider: { worker: { defaultMachineDrainTimeout: 'long' } } } },
    'config.json:25:35: converter.provider.worker.defaultMachineDrainTimeout: want a duration such as 90s or 1m30s',
  ],
  ['an empty file', { text: '' }, 'config.json:1:1: it is empty'],
  ['a list', { text: '[]' }, 'config.json:1:1: want an object'],
  ['aliases', { text: 'a: &a {}\nb: *a' }, 'config.json: it has anchors or aliases'],
  [
    'too many levels',
    { text: `{"a":${'['.repeat(40)}${']'.repeat(40)}}` },
    'config.json: it is nested deeper than 32 levels',
  ],
  [
    'too many bytes',
    { text: `{"a":"${'x'.repeat(2 ** 20)}"}` },
    'config.json: it has more than 1048576 bytes',
  ],
  ['too many values', { text: `[${'1,'.repeat(150_000)}1]` }, 'config.json: it has more than 200000 tokens'],
  [
    'a member with a name close to a known one',
    {
      converter: {
        kubernetes: {
          ...{ defaultVersion: '1', defaultOperatorOidc: oidc },
          enableMachineImageVersionAutoUpdates: true,
        },
      },
    },
    'config.json:15:44: converter.kubernetes.enableMachineImageVersionAutoUpdates: it is not known; the nearest known member is enableMachineImageVersionAutoUpdate',
  ],
  [
    'a misspelt object',
    { converter: { maintenanceWindows: {} } },
    'config.json:42:25: converter.maintenanceWindows: it is not known; the nearest known member is maintenanceWindow',
  ],
  [
    'a misspelt member of a tenant',
    { tenants: { aws: { 'eu-central-1': { ...tenant, secretNames: 's' } } } },
    'tenants.json:7:19: aws.eu-central-1.secretNames: it is not known; the nearest known member is secretName',
  ],
  [
    'a misspelt member of a window',
    { windows: { 'eu-central-1': { ...window, ends: '1' } } },
    'windows.json:5:11: eu-central-1.ends: it is not known; the nearest known member is end',
  ],
  [
    'a tenant without Secret',
    { tenants: { aws: { 'eu-central-1': { ...tenant, secretName: undefined } } } },
    'tenants.json:3:19: aws.eu-central-1.secretName: it is missing',
  ],
  [
    'a tenant with a URL that is none',
    { tenants: { aws: { 'eu-central-1': { ...tenant, serviceURL: 'audit' } } } },
    'tenants.json:5:18: aws.eu-central-1.serviceURL: want a URL',
  ],
  [
    'a time that is none',
    { windows: { 'eu-central-1': { ...window, end: '24:00' } } },
    'windows.json:4:10: eu-central-1.end: want a time of the day such as 200000+0000',
  ],
])('%s', async (_, files, message) => {
  const verb = /:\d+:\d+: /.test(message) ? 'use' : 'read';
  expect(await refusal(files)).toBe(`cannot ${verb} ${message}; see docs/infrastructure-manager/shoot.md`);
});

test('YAML as people write it: texts without quotes, comments', async () => {
  const plain = (value: unknown) => stringify(value, { aliasDuplicateObjects: false });
  const loaded = await load({
    text: `# converter\n${plain({ converter: converter(), cluster: { defaultSharedIASTenant: oidc } })}`,
    tenants: plain({ aws: { 'eu-central-1': tenant } }),
    windows: 'eu-central-1:\n  begin: 200000+0000\n  end: 230000-0130 # of the night\n',
  });
  expect(loaded.converter).toMatchObject(converter());
  expect(loaded.auditTenants.get('aws')?.get('eu-central-1')).toEqual(tenant);
  expect(loaded.maintenanceWindows.get('eu-central-1')).toEqual(window);
});

test('all mistakes of a file are reported at once', async () => {
  const { gardener, auditLogging } = converter();
  const text = `cluster: {defaultSharedIASTenant: {clientID: a, issuerURL: 1}}
converter: {dns: x, gardener: ${JSON.stringify(gardener)}, auditLogging: ${JSON.stringify(auditLogging)}}`;
  const mistakes = await load({ text }).catch((error: ConfigurationError) => error.mistakes);
  expect(mistakes).toEqual(
    [
      '2:12: converter.kubernetes.defaultVersion: it is missing',
      ...['clientID', 'groupsClaim', 'issuerURL', 'signingAlgs', 'usernameClaim', 'usernamePrefix'].map(
        (name) => `2:12: converter.kubernetes.defaultOperatorOidc.${name}: it is missing`,
      ),
      '2:18: converter.dns: want an object',
      '2:12: converter.machineImage.defaultName: it is missing',
      '2:12: converter.machineImage.defaultVersion: it is missing',
      '1:35: cluster.defaultSharedIASTenant.groupsClaim: it is missing',
      '1:60: cluster.defaultSharedIASTenant.issuerURL: want a text: put it in quotes',
      ...['signingAlgs', 'usernameClaim', 'usernamePrefix'].map(
        (name) => `1:35: cluster.defaultSharedIASTenant.${name}: it is missing`,
      ),
    ].map((line) => `cannot use ${join(folder(), 'config.json')}:${line}`),
  );
});

test('mistakes of several files are reported at once', async () => {
  const message = await refusal({
    converter: { gardener: { projectName: 'other' } },
    tenants: { aws: { 'eu-central-1': { ...tenant, secretName: undefined } } },
    windows: { a: { begin: '1', end: '2' } },
  });
  expect(message).toMatch(
    /^4 mistakes in the configuration; see docs.*: .*aws\.eu-central-1\.secretName: .*a\.begin: .*a\.end: .*projectName: /,
  );
});

test('a file that does not exist', async () => {
  const missing = { ...converter().auditLogging, tenantConfigPath: join(folder(), 'missing.json') };
  expect(await refusal({ converter: { auditLogging: missing } })).toMatch(
    /^cannot read missing.json: ENOENT/,
  );
});

test('a name that every object has is no tenant', async () => {
  const { auditTenants } = await load();
  expect(auditTenants.get('constructor')).toBeUndefined();
});

test('[N5] the members of today, as they are written', async () => {
  const { kubernetes } = converter();
  const { converter: loaded } = await load({
    converter: {
      kubernetes: {
        ...kubernetes,
        kubeApiServer: {
          acl: { configMapName: 'acl' },
          maxTokenExpiration: '720h',
          runtimeConfig: { 'api/all': true },
          featureGates: { SomeGate: false },
        },
        kubelet: { featureGates: { OtherGate: true } },
      },
      provider: {
        gdch: { cloudProfileName: 'c', parentReferenceName: 'p' },
        worker: { defaultMaxEvictRetries: '3', defaultMachineDrainTimeout: '20m' },
      },
      gardener: { projectName: 'kyma', enableCredentialBinding: true },
      tolerations: { 'Me-central2': [{ key: 'k', value: 'v' }] },
      networking: { enableDualStackIP: true },
    },
  });
  expect(loaded.kubernetes.kubeApiServer).toEqual({
    acl: { configMapName: 'acl' },
    maxTokenExpiration: 720 * 3_600_000,
    runtimeConfig: new Map([['api/all', true]]),
    featureGates: new Map([['SomeGate', false]]),
  });
  expect(loaded.kubernetes.kubelet.featureGates).toEqual(new Map([['OtherGate', true]]));
  expect(loaded.provider).toMatchObject({
    gdch: { cloudProfileName: 'c', parentReferenceName: 'p', parentReferenceType: '' },
    worker: { defaultMaxEvictRetries: 3, defaultMachineDrainTimeout: '20m0s' },
  });
  expect(loaded.gardener.enableCredentialBinding).toBe(true);
  expect(loaded.tolerations).toEqual(new Map([['Me-central2', [{ key: 'k', value: 'v' }]]]));
  expect(loaded.networking.enableDualStackIP).toBe(true);
  const empty = await load({ converter: { kubernetes: withServer({ maxTokenExpiration: '' }) } });
  expect(empty.converter.kubernetes.kubeApiServer.maxTokenExpiration).toBeUndefined();
});

test('[N6] the former name of a member counts without its successor, and is reported', async () => {
  const { kubernetes } = converter();
  const { enableMachineImageVersionAutoUpdate: _, ...others } = kubernetes;
  const old = { enableMachineImageVersionVersionAutoUpdate: true };
  const loaded = await load({ converter: { kubernetes: { ...others, ...old } } });
  expect(loaded.converter.kubernetes.enableMachineImageVersionAutoUpdate).toBe(true);
  expect(loaded.warnings).toEqual([
    'converter.kubernetes.enableMachineImageVersionVersionAutoUpdate is now called enableMachineImageVersionAutoUpdate: rename it',
  ]);
  const both = await load({
    converter: { kubernetes: { ...others, ...old, enableMachineImageVersionAutoUpdate: false } },
  });
  expect(both.converter.kubernetes.enableMachineImageVersionAutoUpdate).toBe(false);
});

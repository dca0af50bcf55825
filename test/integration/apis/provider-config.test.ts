import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  providerConfigs,
  providerConfigUsage,
  providerConfigUsages,
} from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { type KindClient, kindClient, refusal } from './kind-client.ts';

let configs: KindClient;
let usages: KindClient;
let created: string[] = [];

beforeAll(async () => {
  const { management } = await controlPlanes();
  configs = kindClient(management, providerConfigs);
  usages = kindClient(management, providerConfigUsages);
});

afterEach(async () => {
  await Promise.all(created.flatMap((name) => [configs.delete(name), usages.delete(name)]));
  created = [];
});

function config(credentials: unknown, name = uniqueName('pc')) {
  created.push(name);
  return {
    apiVersion: providerConfigs.apiVersion,
    kind: providerConfigs.kind,
    metadata: { name },
    spec: { credentials },
  };
}

describe('ProviderConfig', () => {
  test.each(['None', 'Secret', 'InjectedIdentity', 'Environment', 'Filesystem', 'HanaConnectionSecret'])(
    'takes credentials from %s',
    async (source) => {
      expect(await configs.create(config({ source }))).toMatchObject({ status: 201 });
    },
  );

  test('names the Secret with the credentials', async () => {
    const credentials = {
      source: 'HanaConnectionSecret',
      connectionSecretRef: { name: 'a', namespace: 'b' },
    };
    expect(await configs.create(config(credentials))).toMatchObject({
      status: 201,
      body: { spec: { credentials } },
    });
  });

  test.each([
    {
      reason: 'the source is a closed set',
      credentials: { source: 'Vault' },
      message: 'source: Unsupported value',
    },
    { reason: 'the source has no default', credentials: {}, message: 'source: Required value' },
    {
      reason: 'a name without a namespace is ambiguous',
      credentials: { source: 'Secret', connectionSecretRef: { name: 'a' } },
      message: 'connectionSecretRef.namespace: Required value',
    },
  ])('is refused if $message: $reason', async ({ credentials, message }) => {
    expect(await configs.create(config(credentials))).toMatchObject(refusal(`spec.credentials.${message}`));
  });

  test('has a name that fits into a label, because every usage carries it as one', async () => {
    const longest = uniqueName('pc').padEnd(63, 'x');
    expect(await configs.create(config({ source: 'None' }, longest))).toMatchObject({ status: 201 });
    expect(await configs.create(config({ source: 'None' }, `${longest}x`))).toMatchObject(
      refusal('at most 63 characters'),
    );
  });

  test('counts its users in its status', async () => {
    const object = config({ source: 'None' });
    await configs.create(object);
    expect(await configs.patchStatus(object.metadata.name, { users: 2 })).toMatchObject({
      status: 200,
      body: { status: { users: 2 } },
    });
  });
});

describe('ProviderConfigUsage', () => {
  const parts = {
    providerConfigRef: { name: 'default' },
    resourceRef: { apiVersion: 'v1', kind: 'K', name: 'n' },
  };

  test('has the used configuration and its user', async () => {
    const name = uniqueName('pcu');
    created.push(name);
    expect(await usages.create(providerConfigUsage({ name, ...parts }))).toMatchObject({
      status: 201,
      body: parts,
    });
  });

  test.each(['providerConfigRef', 'resourceRef'])('needs %s', async (field) => {
    const { [field]: _, ...object } = {
      ...providerConfigUsage({ name: uniqueName('pcu'), ...parts }),
    } as Record<string, unknown>;
    expect(await usages.create(object)).toMatchObject(refusal(`${field}: Required value`));
  });
});

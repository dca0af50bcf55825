import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createSharedReads } from '../../../framework/kube/client/shared-reads.ts';
import { apiError, createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { createCredentialResolver } from './credential-resolver.ts';
import { InvalidCredentialsError, MissingCredentialsError } from './errors.ts';
import type { CredentialSettings } from './secret-names.ts';

const valid = {
  clientid: 'client',
  clientsecret: 'secret',
  sm_url: 'https://sm.example.com',
  tokenurl: 'https://token.example.com',
  tokenurlsuffix: '/oauth/token',
};
const { clientsecret: _, ...withoutSecret } = valid;
const invalid = 'invalid Service-Manager credentials, contact your cluster administrator';

function setup(
  stored: Readonly<Record<string, Record<string, string>>>,
  settings: Partial<CredentialSettings> = {},
) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  for (const [key, data] of Object.entries(stored)) {
    const [namespace = '', name = ''] = key.split('/');
    const encoded = Object.entries(data).map(([field, value]) => [
      field,
      Buffer.from(value).toString('base64'),
    ]);
    client.seed(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      data: Object.fromEntries(encoded),
    });
  }
  const resolver = createCredentialResolver({
    reads: createSharedReads({ client, clock }),
    settings: {
      releaseNamespace: 'release',
      managementNamespace: 'management',
      namespaceSecrets: true,
      ...settings,
    },
  });
  const resolve = (btpAccessCredentialsSecret?: string, namespace = 'shop') =>
    resolver.resolve(
      { metadata: { namespace }, spec: { btpAccessCredentialsSecret } },
      new AbortController().signal,
    );
  const secretOf = async (named?: string) => {
    const { secret } = await resolve(named);
    return `${secret.namespace}/${secret.name}`;
  };
  return { client, resolve, secretOf };
}

const own = 'shop/sap-btp-service-operator';
const prefixed = 'management/shop-sap-btp-service-operator';
const cluster = 'release/sap-btp-service-operator';
const explicit = 'management/explicit';

describe('the Secret of an instance', () => {
  test('[B166] is the first that exists, from the most specific to the default of the cluster', async () => {
    const all = { [own]: valid, [prefixed]: valid, [cluster]: valid, [explicit]: valid };
    expect(await setup(all).secretOf()).toBe(own);
    expect(await setup({ ...all, [own]: valid }, { namespaceSecrets: false }).secretOf()).toBe(prefixed);
    expect(await setup({ [prefixed]: valid, [cluster]: valid }).secretOf()).toBe(prefixed);
    expect(await setup({ [cluster]: valid }).secretOf()).toBe(cluster);
    expect(await setup({ [own]: valid, [cluster]: valid }, { namespaceSecrets: false }).secretOf()).toBe(
      cluster,
    );
    expect(await setup(all).secretOf('explicit')).toBe(explicit);
  });

  test('[B166] is never another one than the one that the instance names', async () => {
    const { resolve } = setup({ [own]: valid, [prefixed]: valid, [cluster]: valid });
    const error = await resolve('explicit').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MissingCredentialsError);
    expect(error).toMatchObject({
      message: expect.stringContaining('secrets "explicit" not found'),
      proposed: { namespace: 'management', name: 'explicit' },
    });
  });

  test('[B166] is reported as missing with the names that were looked for', async () => {
    const error = await setup({})
      .resolve()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MissingCredentialsError);
    expect(error).toMatchObject({
      kind: 'not-found',
      message: `cannot find credentials of Service Manager: secrets "sap-btp-service-operator" not found (looked for ${own}, ${prefixed}, ${cluster})`,
      // The namespace of the instance may be about to go, so that no Secret can be created there.
      proposed: { namespace: 'management', name: 'shop-sap-btp-service-operator' },
    });
  });

  test('is not replaced by another one if it cannot be read', async () => {
    const { client, resolve } = setup({ [cluster]: valid });
    client.onRequest(({ key }) => {
      if (key?.namespace === 'shop') throw apiError(403, 'Forbidden');
    });
    await expect(resolve()).rejects.toMatchObject({ status: 403 });
  });

  test('[B166] is read again at each call', async () => {
    const { client, secretOf } = setup({ [cluster]: valid });
    expect(await secretOf()).toBe(cluster);
    client.seed(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name: 'sap-btp-service-operator' },
      data: Object.fromEntries(
        Object.entries(valid).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    });
    expect(await secretOf()).toBe(own);
  });
});

describe('the credentials', () => {
  test.each([
    { reason: 'without a client secret', data: withoutSecret, details: `Secret ${cluster} has neither` },
    { reason: 'without tokenurl', data: { ...valid, tokenurl: '' }, details: 'has no key tokenurl' },
    { reason: 'without sm_url', data: { ...valid, sm_url: '' }, details: 'has no key sm_url' },
  ])('[B167] are invalid $reason, as default and as named Secret', async ({ data, details }) => {
    for (const [key, named] of [[cluster], [explicit, 'explicit']] as const) {
      const error = await setup({ [key]: data })
        .resolve(named)
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(InvalidCredentialsError);
      expect(error).toMatchObject({ kind: 'auth', message: invalid });
      expect((error as InvalidCredentialsError).details).toContain(details.replace(cluster, key));
    }
  });

  test('[B167] take a certificate from the older Secret beside them, but not for a named Secret', async () => {
    const tls = { 'tls.crt': 'certificate', 'tls.key': 'key' };
    const certificates = {
      'release/sap-btp-service-operator-tls': tls,
      'shop/sap-btp-service-operator-tls': tls,
    };
    const details = async (stored: Parameters<typeof setup>[0], named?: string) =>
      setup(stored)
        .resolve(named)
        .catch((caught: unknown) => (caught as InvalidCredentialsError).details);
    const malformed = 'has a key tls.crt that is not a PEM certificate';
    expect(await details({ ...certificates, [cluster]: withoutSecret })).toBe(
      `Secret ${cluster} ${malformed}`,
    );
    expect(await details({ ...certificates, [explicit]: withoutSecret }, 'explicit')).toContain(
      'has neither',
    );
    const incomplete = { 'release/sap-btp-service-operator-tls': { 'tls.crt': 'certificate' } };
    expect(await details({ ...incomplete, [cluster]: withoutSecret })).toContain('has neither');
    // A client secret needs no certificate.
    expect(await setup({ ...certificates, [cluster]: valid }).secretOf()).toBe(cluster);
  });

  const place = {
    tenant: 'shop/sap-btp-service-operator-tls',
    management: 'management/shop-sap-btp-service-operator-tls',
    cluster: 'release/sap-btp-service-operator-tls',
  };
  const completed = async (secret: string, certificate: string, namespace?: string) => {
    const tls = { 'tls.crt': 'certificate', 'tls.key': 'key' };
    const { resolve } = setup({ [secret]: withoutSecret, [certificate]: tls });
    const error = await resolve(undefined, namespace).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InvalidCredentialsError);
    return !(error as InvalidCredentialsError).details.includes('has neither');
  };

  test.each([
    { of: 'the cluster', certificate: place.cluster },
    { of: 'the management namespace', certificate: place.management },
  ])('are never those of a tenant with a certificate of $of', async ({ certificate }) => {
    expect(await completed(own, certificate)).toBe(false);
  });

  test.each([
    { secret: own, certificate: place.tenant },
    { secret: prefixed, certificate: place.management },
    { secret: prefixed, certificate: place.cluster },
    { secret: cluster, certificate: place.management },
    { secret: cluster, certificate: place.cluster },
  ])('of $secret are completed by the certificate $certificate', async ({ secret, certificate }) => {
    expect(await completed(secret, certificate)).toBe(true);
  });

  test('of the release namespace are completed by a certificate of administrators, also for instances in it', async () => {
    const managed = 'management/release-sap-btp-service-operator-tls';
    expect(await completed(cluster, managed, 'release')).toBe(true);
  });

  test('name the Secrets that they are from', async () => {
    const { resolve } = setup({ [cluster]: valid });
    const { sources } = await resolve();
    expect(sources).toMatchObject([{ metadata: { namespace: 'release', name: 'sap-btp-service-operator' } }]);
  });
});

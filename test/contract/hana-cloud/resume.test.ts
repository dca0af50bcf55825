import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import type { HanaCloud, HanaCloudClient } from '../../../internal/systems/inventory/hana-cloud/client.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, parsed, thrownBy } from './set-up.ts';

const { simulator, open } = hanaCloudOfFile();

/** A client after some calls, closed as after a reconcile. */
async function used(hana: HanaCloud, form: 'fields' | 'x509' = 'fields'): Promise<HanaCloudClient> {
  const client = hana.connect(parsed((await simulator.credentials(instance))[form]));
  await client.createMapping(instance, mapping, callOptions());
  await client.close();
  return client;
}

const remembered = ({ access }: HanaCloudClient) => {
  if (access === undefined) throw new Error('nothing is remembered');
  return access;
};

test('without its credentials a client goes on with the token that it had, and requests no other', async () => {
  const hana = open();
  const first = await used(hana);
  const client = hana.resume(remembered(first));
  expect(client).toMatchObject({ viewer: first.viewer, credentialsID: first.credentialsID });
  expect((await client?.listMappings(instance, callOptions()))?.mappings).toHaveLength(1);
  await client?.deleteMapping(instance, mapping, callOptions());
  expect(simulator.store.mappings(instance)).toEqual([]);
  expect(simulator.requests({ route: 'token' })).toHaveLength(1);
});

test('the session holds no credentials', async () => {
  const credentials = parsed((await simulator.credentials(instance)).fields);
  const text = JSON.stringify(remembered(await used(open())));
  const { authentication, clientId } = credentials;
  if (authentication.method === 'x509') throw new Error('not these');
  expect(text).not.toContain(authentication.clientSecret);
  expect(text).not.toContain(clientId);
});

test('a token that was revoked ends it with a transient error, and there is none to resume with after it', async () => {
  const hana = open();
  const access = remembered(await used(hana));
  const client = hana.resume(access);
  simulator.faults.add({
    on: { route: 'list' },
    do: { kind: 'status', status: 401, body: { error: 'revoked' } },
  });
  const error = await thrownBy(async () => client?.listMappings(instance, callOptions()));
  expect(error).toMatchObject({ kind: 'transient' });
  expect(error.message).toContain('the credentials cannot be read any more, and no token of theirs is left');
  expect(hana.resume(access)).toBeUndefined();
});

test('there is nothing to resume with once the token has expired', async () => {
  const clock = createFakeClock();
  const hana = open({ clock });
  const access = remembered(await used(hana));
  expect(hana.resume(access)).toBeDefined();
  await clock.advance(24 * 3_600_000);
  expect(hana.resume(access)).toBeUndefined();
});

test('some sessions cannot be resumed: without a token cache, and with a client certificate', async () => {
  expect((await used(open({ cacheTokens: false }))).access).toBeUndefined();
  simulator.store.removeMapping(instance, mapping);
  expect((await used(open(), 'x509')).access).toBeUndefined();
});

test('a read-only client does not go on without credentials', async () => {
  const access = remembered(await used(open()));
  expect(open({ readOnly: true }).resume(access)).toBeUndefined();
});

test('a client of known credentials uses the token that it had, and reads them for another one', async () => {
  const hana = open();
  const { hosts, viewer, credentialsID } = await used(hana);
  const credentials = parsed((await simulator.credentials(instance)).fields);
  let reads = 0;
  const reopen = () =>
    hana.reopen({ ...hosts, viewer, hasCertificate: false }, async () => {
      reads++;
      return credentials;
    });
  const client = reopen();
  expect(client).toMatchObject({ viewer, credentialsID });
  await client?.listMappings(instance, callOptions());
  expect([reads, simulator.requests({ route: 'token' }).length]).toEqual([0, 1]);
  simulator.revokeTokens();
  await reopen()?.deleteMapping(instance, mapping, callOptions());
  expect(simulator.store.mappings(instance)).toEqual([]);
  expect([reads, simulator.requests({ route: 'token' }).length]).toEqual([1, 2]);
});

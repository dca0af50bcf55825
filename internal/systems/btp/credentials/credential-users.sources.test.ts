import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Informer } from '../../../framework/kube/cache/informer.ts';
import type { PartialObject, Selection } from '../../../framework/kube/client/client.ts';
import { createFakeCache, type FakeCache } from '../../../framework/kube/fakes/fake-cache.ts';
import { credentialSources } from './credential-users.ts';
import { type CredentialSettings, isAmong, secretKeysOfUser, usersOf } from './secret-names.ts';

const user = (namespace: string, name: string, btpAccessCredentialsSecret?: string) => ({
  request: `${namespace}/${name}`,
  instance: { metadata: { namespace }, spec: { btpAccessCredentialsSecret } },
});
const users = [user('shop', 'a'), user('shop', 'named', 'explicit'), user('office', 'b')];
const defaults = { releaseNamespace: 'release', managementNamespace: 'management', namespaceSecrets: true };

function setup(settings: CredentialSettings = defaults) {
  const caches = new Map<string, FakeCache<PartialObject>>();
  const sources = credentialSources(
    {
      metadataOf: (_, { selection = {} } = {}) => {
        const cache = createFakeCache<PartialObject>();
        caches.set(watched(selection), cache);
        return {
          ...cache,
          cluster: { name: 'management', displayName: 'management cluster', required: true },
          isStarted: () => true,
          start: () => () => undefined,
          whenTried: async () => undefined,
          problem: () => undefined,
          forget: () => undefined,
        } satisfies Informer<PartialObject>;
      },
    },
    {
      indexes: [],
      requestsOf: (of) => users.filter(({ instance }) => isAmong(of, instance)).map(({ request }) => request),
    },
    settings,
  );
  const requests: string[] = [];
  for (const source of sources) source.start((key) => requests.push(key));
  const changed = (namespace: string, name: string) => {
    for (const [selection, cache] of caches) {
      const [ofNamespace, ofName] = selection.split('/');
      if (['*', namespace].includes(ofNamespace ?? '') && ['*', name].includes(ofName ?? '')) {
        cache.put({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name } });
      }
    }
    return [...new Set(requests.splice(0))].sort();
  };
  return { watches: [...caches.keys()].sort(), changed };
}

const watched = ({ namespace = '*', fieldSelector = 'metadata.name=*' }: Selection) =>
  `${namespace}/${fieldSelector.replace('metadata.name=', '')}`;

test('a changed Secret requests the instances that may use it', () => {
  const { changed } = setup();
  expect(changed('shop', 'sap-btp-service-operator')).toEqual(['shop/a']);
  expect(changed('office', 'sap-btp-service-operator-tls')).toEqual(['office/b']);
  expect(changed('release', 'sap-btp-service-operator')).toEqual(['office/b', 'shop/a']);
  expect(changed('management', 'shop-sap-btp-service-operator')).toEqual(['shop/a']);
  expect(changed('management', 'explicit')).toEqual(['shop/named']);
  expect(changed('management', 'other')).toEqual([]);
});

test('[B12.9] only Secrets that can have credentials are watched', () => {
  const names = ['sap-btp-service-operator', 'sap-btp-service-operator-tls'];
  expect(setup().watches).toEqual([...names.map((name) => `*/${name}`), 'management/*']);
  expect(setup({ ...defaults, namespaceSecrets: false }).watches).toEqual([
    'management/*',
    ...names.map((name) => `release/${name}`),
  ]);
  const same = { ...defaults, namespaceSecrets: false, releaseNamespace: 'management' };
  expect(setup(same).watches).toEqual(['management/*']);
});

test('the users of a Secret are those in whose list of Secrets it is', () => {
  const name = fc.constantFrom('a', 'b', 'release', 'management', '', 'sap-btp-service-operator');
  const secretName = fc
    .tuple(
      fc.constantFrom('', 'a-', 'b-', 'release-', '-', 'sap-btp-service-operator-'),
      fc.constantFrom('sap-btp-service-operator', 'sap-btp-service-operator-tls', 'x'),
    )
    .map((parts) => parts.join(''));
  const settings = fc.record({
    releaseNamespace: fc.constantFrom('release', 'a', 'management'),
    managementNamespace: fc.constantFrom('management', 'a'),
    namespaceSecrets: fc.boolean(),
  });
  fc.assert(
    fc.property(name, fc.option(secretName, { nil: undefined }), name, secretName, settings, (...given) => {
      const [namespace, btpAccessCredentialsSecret, place, secret, set] = given;
      const one = { metadata: { namespace }, spec: { btpAccessCredentialsSecret } };
      const listed = secretKeysOfUser(one, set).some((key) => key.namespace === place && key.name === secret);
      expect(isAmong(usersOf({ namespace: place, name: secret }, set), one)).toBe(listed);
    }),
    { numRuns: 2000 },
  );
});

import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../base/fake-clock.ts';
import { createFakeCache } from '../../../kube/fakes/fake-cache.ts';
import { fakeHana, listed, mappingOf, type TestMapping, testKind } from './mapping.fixture.ts';
import { createMappingClaims } from './mapping-claims.ts';
import { stateClaim } from './stated-claim.ts';

const described = mappingOf('i-1');
const { signal } = new AbortController();

const resource = (namespace?: string, status?: TestMapping['status']): TestMapping => ({
  apiVersion: 'example.org/v1',
  kind: 'Mapping',
  metadata: {
    name: 'shop',
    uid: 'uid-shop',
    creationTimestamp: '2024-01-01T00:00:00Z',
    ...(namespace === undefined ? {} : { namespace }),
  },
  spec: {},
  ...(status === undefined ? {} : { status }),
});

async function stated(of: TestMapping, { client, calls }: ReturnType<typeof fakeHana>) {
  const claims = createMappingClaims({ clock: createFakeClock() }).of(testKind);
  claims.source(createFakeCache([of])).start(() => undefined);
  await stateClaim<TestMapping>({ claims, hana: client, described }, of, signal);
  return { counts: claims.counts(of, described), calls };
}

const shown = () => fakeHana({ 'i-1': [] });
const hidden = () => fakeHana({});

test('what a cluster-scoped resource describes counts as it is said, and HANA Cloud is not asked', async () => {
  expect(await stated(resource(), hidden())).toEqual({ counts: true, calls: [] });
});

test('what a namespaced one describes counts once HANA Cloud shows the instance to its credentials', async () => {
  expect(await stated(resource('tenant'), shown())).toEqual({ counts: true, calls: ['list i-1'] });
});

test('it does not count while the instance is hidden from them', async () => {
  expect(await stated(resource('tenant'), hidden())).toEqual({ counts: false, calls: ['list i-1'] });
});

test('it does not count where they are refused', async () => {
  const refusing = fakeHana({}, { listMappings: () => Promise.reject(new Error('401')) });
  await expect(stated(resource('tenant'), refusing)).rejects.toThrow('401');
});

test('of what counts already HANA Cloud is not asked again', async () => {
  const seen = resource('tenant', { known: described, present: true });
  expect(await stated(seen, fakeHana({ 'i-1': [listed(described)] }))).toEqual({ counts: true, calls: [] });
});

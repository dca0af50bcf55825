import { expect, test } from '@jest/globals';
import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import { externalNames } from './external-names.ts';

const space: MappingIdentity = {
  serviceInstanceID: 'i',
  platform: 'cloudfoundry',
  primaryID: 'org',
  secondaryID: 'space',
};
const { secondaryID: _, ...organisation } = space;

test.each([
  { name: 'i/cloudfoundry/org/space', identity: space },
  { name: 'i/cloudfoundry/org', identity: organisation },
])('$name reads back as what was written', ({ name, identity }) => {
  expect(externalNames.format(identity)).toBe(name);
  expect(externalNames.parse(name)).toEqual(identity);
});

test('a slash before a secondaryID that there is none of does not make another mapping', () => {
  expect(externalNames.parse('i/cloudfoundry/org/')).toEqual(organisation);
});

test.each([
  { name: 'orders-db', reason: 'a name of an object' },
  { name: 'i/openstack/p', reason: 'a platform that there is none of' },
  { name: '/kubernetes/c', reason: 'no instance' },
  { name: 'i/kubernetes/', reason: 'no primaryID' },
  { name: 'i/kubernetes/c/n/x', reason: 'a part too many' },
  { name: 'i/constructor/p', reason: 'a property of any object is no platform' },
])('$name is no such name ($reason)', ({ name }) => {
  expect(externalNames.parse(name)).toBeUndefined();
});

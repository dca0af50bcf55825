import { expect, test } from '@jest/globals';
import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import { rawNames } from './external-names.ts';

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
])('parses $name as formatted', ({ name, identity }) => {
  expect(rawNames.format(identity)).toBe(name);
  expect(rawNames.parse(name)).toEqual(identity);
});

test('a trailing slash without secondaryID is the same mapping', () => {
  expect(rawNames.parse('i/cloudfoundry/org/')).toEqual(organisation);
});

test.each([
  { name: 'orders-db', reason: 'metadata.name' },
  { name: 'i/openstack/p', reason: 'an unknown platform' },
  { name: '/kubernetes/c', reason: 'no instance' },
  { name: 'i/kubernetes/', reason: 'no primaryID' },
  { name: 'i/kubernetes/c/n/x', reason: 'too many parts' },
  { name: 'i/constructor/p', reason: 'a property of Object.prototype is not a platform' },
])('$name is not an external name ($reason)', ({ name }) => {
  expect(rawNames.parse(name)).toBeUndefined();
});

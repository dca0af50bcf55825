import { expect, test } from '@jest/globals';
import { createHanaHosts } from './hana-hosts.ts';

test('places whose credentials lead to one host share its lane, once that is known, and until then with all others', () => {
  const hosts = createHanaHosts();
  expect(hosts.laneOf('a')).toBe(hosts.laneOf('b'));
  hosts.note('a', 'https://one.example.org/path');
  expect(hosts.laneOf('a')).toBe('HANA Cloud one.example.org');
  expect(hosts.laneOf('b')).toBe('HANA Cloud hosts that are not known yet');
  hosts.note('b', 'https://one.example.org');
  expect(hosts.laneOf('b')).toBe(hosts.laneOf('a'));
});

test('another host at the same place is another lane', () => {
  const hosts = createHanaHosts();
  hosts.note('a', 'https://one.example.org');
  hosts.note('a', 'https://two.example.org');
  expect(hosts.laneOf('a')).toBe('HANA Cloud two.example.org');
});

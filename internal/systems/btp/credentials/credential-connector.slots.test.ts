import { expect, test } from '@jest/globals';
import { type LimitKeyOption, reserveFor } from '../../../framework/base/concurrency/limit-key.ts';
import { reserveWith } from './credential-connector.ts';

const settings = { releaseNamespace: 'release', managementNamespace: 'management', namespaceSecrets: true };
const host = { name: 'host', slots: 24 };

/** The limit keys with which an object with credentials of this namespace is admitted to the host. */
function reserved(namespace: string): readonly LimitKeyOption[] {
  const calls: (readonly LimitKeyOption[])[] = [];
  const reserve = reserveFor('', (limitKeys) => {
    calls.push(limitKeys);
    return () => undefined;
  });
  reserveWith({ namespace, name: 'any' }, reserve, settings, 100)([host]);
  expect(calls).toHaveLength(1);
  return calls.flat();
}

test('objects with credentials of their namespace share slots with it and with all such namespaces, at once', () => {
  expect(reserved('shop')).toEqual([
    host,
    { name: 'credentials of namespace shop' },
    { name: 'credentials of namespaces', slots: 75 },
  ]);
});

test.each(['release', 'management'])('objects with credentials of administrators do not: %s', (namespace) => {
  expect(reserved(namespace)).toEqual([host]);
});

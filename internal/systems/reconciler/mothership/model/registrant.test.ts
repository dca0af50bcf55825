import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foreignNameProblem, isTenant, registrantOf, tenantOf } from './registrant.ts';

test.each([
  ['team-a/shop', 'team-a'],
  ['team-a/other/shop', 'team-a'],
  ['kcp-system/shop', undefined],
  ['kcp-system-b/shop', 'kcp-system-b'],
  ['shop', undefined],
  ['', undefined],
  // No namespace has such a name.
  ['Team/shop', undefined],
  ['/shop', undefined],
  ['a b/shop', undefined],
])('a namespace is a tenant, unless it is that of operators: %j', (name, namespace) => {
  const registrant = registrantOf({ name });
  expect(isTenant(registrant)).toBe(namespace !== undefined);
  if (namespace !== undefined) expect(registrant).toEqual({ kind: 'namespace', name: namespace });
});

test.each([
  ['team-a/shop', 'team-a', true],
  ['team-a/shop', '', false],
  ['team-a/shop', 'team-b', false],
  ['shop', '', true],
  ['shop', 'team-a', false],
  ['kcp-system/shop', '', false],
  // No namespace has such a name.
  ['Team A/shop', '', true],
])(
  'a cluster is registered as %j by a client that acts for namespace %j: %j',
  (name, namespace, isAccepted) => {
    expect(foreignNameProblem(name, namespace) === undefined).toBe(isAccepted);
  },
);

interface Registration {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly account: string;
  readonly runtimeId: string;
}

test('whatever clients choose, the tenant of one is not that of another', () => {
  const text = fc.stringMatching(/^[ab/ :-]{0,12}$/);
  const registration: fc.Arbitrary<Registration> = fc.record({
    namespace: fc.option(fc.constantFrom('a', 'b', 'a-b'), { nil: undefined }),
    name: text,
    account: text,
    runtimeId: text,
  });
  /** Whose it is. Names and accounts of a client that acts for no namespace are chosen by its customers. */
  const ownerOf = ({ namespace, account, runtimeId }: Registration) =>
    namespace === undefined
      ? [account === '' ? 'cluster' : 'account', account || runtimeId]
      : ['namespace', namespace];
  const tenant = ({ namespace, name, account, runtimeId }: Registration) => {
    const full = namespace === undefined ? name : `${namespace}/${name}`;
    if (foreignNameProblem(full, namespace ?? '') !== undefined) return undefined;
    return tenantOf(full, { globalAccountID: account, subAccountID: '' }, runtimeId);
  };
  fc.assert(
    fc.property(registration, registration, (one, other) => {
      const [a, b] = [tenant(one), tenant(other)];
      if (a === undefined || b === undefined) return;
      expect(a === b).toBe(JSON.stringify(ownerOf(one)) === JSON.stringify(ownerOf(other)));
    }),
    { numRuns: 2000 },
  );
});

import { expect, test } from '@jest/globals';
import { type FaultKind, sitesIn } from './find-sites.ts';
import { type Operator, plant } from './operators.ts';

const source = `
export async function remove(client: Client, { uid, other }: Meta): Promise<void> {
  assertMayWrite();
  claims.assertOwn(other);
  if (isForeign(other)) return;
  await client.delete(key, { signal, preconditions: { uid } });
  const body = { metadata: { uid, namespace: 'shop', ownerReferences: [owner] } };
  await cleanUpRecords(body);
  throw new WaitingError('it is missing', { targets: [target], topics: [] });
}
const kind = () => ({
  sources: () => [ofType(a), mapped(b), ...others(c)],
  create: async (run: Run) => client.create(object, { fence: run.assertMayWrite }),
});
`;

const found = (kind: FaultKind) =>
  sitesIn(source)
    .filter((site) => site.kind === kind)
    .map((site) => [site.function, site.operator]);

test.each<[FaultKind, readonly (readonly [string, Operator])[]]>([
  [
    'ownership check removed',
    [
      ['remove', { kind: 'remove-call', call: 'assertOwn' }],
      ['remove', { kind: 'replace-call', call: 'isForeign', value: 'false' }],
    ],
  ],
  [
    'precondition removed',
    [
      ['remove', { kind: 'remove-member', member: 'preconditions' }],
      ['remove', { kind: 'remove-member', member: 'uid' }],
    ],
  ],
  [
    'guard call removed',
    [
      ['remove', { kind: 'remove-call', call: 'assertMayWrite' }],
      ['create', { kind: 'remove-member', member: 'fence' }],
    ],
  ],
  [
    'owner or namespace swapped',
    [
      ['remove', { kind: 'replace-member', member: 'namespace', value: "'of-another'" }],
      ['remove', { kind: 'replace-member', member: 'ownerReferences', value: '[]' }],
    ],
  ],
  [
    'cleanup skipped',
    ['delete', 'cleanUpRecords'].map((call) => ['remove', { kind: 'remove-call', call }] as const),
  ],
  [
    'trigger dropped',
    [
      ['remove', { kind: 'replace-member', member: 'targets', value: '[]' }],
      ...['ofType', 'mapped', 'others'].map(
        (element) => ['sources', { kind: 'remove-element', element }] as const,
      ),
    ],
  ],
])('%s', (kind, expected) => {
  expect(found(kind)).toEqual(expected);
});

test('each can be planted', () => {
  for (const site of sitesIn(source)) expect(plant(source, site.function, site.operator)).not.toBe(source);
});

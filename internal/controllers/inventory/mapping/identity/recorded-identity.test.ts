import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../../base/errors/errors.ts';
import { mappingOf, testNames } from '../mapping.fixture.ts';
import {
  decideIdentity,
  type IdentityDecision,
  identityToDelete,
  type Records,
} from './recorded-identity.ts';

const a = mappingOf('i-1');
const b = mappingOf('i-2');
const externalNameOf = testNames.format;
const records = (over: Partial<Records>): Records => ({
  names: testNames,
  metadataName: 'shop',
  createUnfinished: false,
  ...over,
});

describe('decideIdentity', () => {
  const table: {
    title: string;
    reason: string;
    records: Partial<Records>;
    want: IdentityDecision | 'terminal';
  }[] = [
    {
      title: 'NothingRecorded',
      reason: 'A new resource creates or adopts the described mapping.',
      records: {},
      want: { kind: 'unset' },
    },
    {
      title: 'NameOfTheObject',
      reason: 'The Go provider leaves metadata.name as external name; it says nothing about the mapping.',
      records: { externalName: 'shop', known: a },
      want: { kind: 'unset' },
    },
    {
      title: 'MigratedWithOldIdentity',
      reason: 'After the migration only the status records the old mapping, which must be deleted.',
      records: { externalName: 'shop', known: b },
      want: { kind: 'changed', recorded: b },
    },
    {
      title: 'Settled',
      reason: 'Record and description agree, whatever an older status says.',
      records: { externalName: externalNameOf(a), known: b },
      want: { kind: 'settled' },
    },
    {
      title: 'IdentityChanged',
      reason: 'The recorded mapping is known as ours, so the input objects have changed.',
      records: { externalName: externalNameOf(b), known: b },
      want: { kind: 'changed', recorded: b },
    },
    {
      title: 'CrashedBeforeTheRecord',
      reason: 'An unfinished create of ours wrote the external name; its mapping may exist.',
      records: { externalName: externalNameOf(b), createUnfinished: true },
      want: { kind: 'changed', recorded: b },
    },
    {
      title: 'ImportMismatch',
      reason:
        'A name that we did not write and that is not described proves a mistake; nothing may be touched.',
      records: { externalName: externalNameOf(b) },
      want: 'terminal',
    },
    {
      title: 'EditedAnnotation',
      reason: 'The annotation was changed by hand to something neither known nor described.',
      records: { externalName: externalNameOf(b), known: a },
      want: 'terminal',
    },
    {
      title: 'Nonsense',
      reason: 'A name of another form cannot be compared.',
      records: { externalName: 'what' },
      want: 'terminal',
    },
  ];
  test.each(table)('$title: $reason', ({ records: given, want }) => {
    const decide = () => decideIdentity(records(given), a);
    if (want === 'terminal') expect(decide).toThrow(ProviderError);
    else expect(decide()).toEqual(want);
  });

  test('a mismatch shows both names', () => {
    expect(() => decideIdentity(records({ externalName: externalNameOf(b) }), a)).toThrow(
      /i-2\/c-1\/shop.*i-1\/c-1\/shop/,
    );
  });
});

describe('identityToDelete', () => {
  test('without a record there is nothing to delete', () => {
    expect(identityToDelete(records({}))).toBeUndefined();
  });
  test('the external name decides, without input objects', () => {
    expect(identityToDelete(records({ externalName: externalNameOf(a), known: a }))).toEqual(a);
    expect(identityToDelete(records({ externalName: externalNameOf(a) }))).toEqual(a);
  });
  test('the status decides if there is no external name', () => {
    expect(identityToDelete(records({ externalName: 'shop', known: b }))).toEqual(b);
  });
  test('an unfinished create has precedence over the older status, since its mapping may exist', () => {
    const given = records({ externalName: externalNameOf(a), known: b, createUnfinished: true });
    expect(identityToDelete(given)).toEqual(a);
  });
  test('different identities in external name and status are an error', () => {
    expect(() => identityToDelete(records({ externalName: externalNameOf(b), known: a }))).toThrow(
      /recorded in the status/,
    );
  });
});

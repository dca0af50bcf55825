import { describe, expect, test } from '@jest/globals';
import { kindOf } from '../../../framework/base/errors/errors.ts';
import { mappingOf, testNames } from './mapping.fixture.ts';
import {
  decideIdentity,
  type IdentityDecision,
  identityToDelete,
  isMappingOf,
  kymaParentOf,
  type MappingIdentity,
  type Records,
  sameEnvironment,
  sameIdentity,
} from './mapping-identity.ts';

const identity: MappingIdentity = {
  serviceInstanceID: 'i-1',
  platform: 'kubernetes',
  primaryID: 'c-1',
  secondaryID: 'shop',
};
const { secondaryID, ...wholeCluster } = identity;

interface Difference {
  readonly of: string;
  readonly other: MappingIdentity;
  readonly isMapping: boolean;
  readonly isEnvironment: boolean;
}
const differences: Difference[] = [
  {
    of: 'instance',
    other: { ...identity, serviceInstanceID: 'i-2' },
    isMapping: true,
    isEnvironment: true,
  },
  {
    of: 'platform',
    other: { ...identity, platform: 'cloudfoundry' },
    isMapping: false,
    isEnvironment: false,
  },
  { of: 'cluster', other: { ...identity, primaryID: 'c-2' }, isMapping: false, isEnvironment: false },
  { of: 'namespace', other: { ...identity, secondaryID: 'crm' }, isMapping: false, isEnvironment: true },
  { of: 'scope', other: wholeCluster, isMapping: false, isEnvironment: true },
];

describe('two identities', () => {
  test('that are equal are one mapping in one environment', () => {
    const copy = { ...identity };
    expect([
      sameIdentity(identity, copy),
      isMappingOf(identity, copy),
      sameEnvironment(identity, copy),
    ]).toEqual([true, true, true]);
  });
  test.each(differences)('of another $of are not the same', ({ other, isMapping, isEnvironment }) => {
    expect(sameIdentity(identity, other)).toBe(false);
    // An entry of the list of one instance does not name the instance.
    expect(isMappingOf(identity, other)).toBe(isMapping);
    expect(sameEnvironment(identity, other)).toBe(isEnvironment);
  });
});

describe('the parent of an InstanceMapping that the Go provider made', () => {
  const owner = {
    apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
    kind: 'KymaInstanceMapping',
    name: 'shop',
    uid: 'u',
  };
  const childOf = (...owners: (typeof owner)[]) =>
    kymaParentOf({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', ownerReferences: owners } });

  test('is its owner of this kind, of any version', () => {
    const later = { ...owner, apiVersion: 'inventory.hana.orchestrate.cloud.sap/v2' };
    expect(childOf({ ...owner, kind: 'Other' }, later)).toEqual(later);
  });
  test.each([
    { title: 'of another kind', other: { ...owner, kind: 'Composite' } },
    { title: 'of another group', other: { ...owner, apiVersion: 'example.org/v1alpha1' } },
    {
      title: 'of a group whose name begins the same',
      other: { ...owner, apiVersion: 'inventory.hana.orchestrate.cloud.sap.example.org/v1' },
    },
  ])('is no owner $title', ({ other }) => {
    expect(childOf(other)).toBeUndefined();
  });
  test('is missing without owners', () => {
    expect(kymaParentOf({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } })).toBeUndefined();
  });
});

const a = mappingOf('i-1');
const b = mappingOf('i-2');
const externalNameOf = testNames.format;
const records = (over: Partial<Records>): Records => ({
  names: testNames,
  metadataName: 'shop',
  createUnfinished: false,
  ...over,
});

function thrownBy(fn: () => unknown): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Its name cannot be parsed, since a part has the separator. */
const unparsable = { ...a, primaryID: 'eu/10' };

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
      title: 'EmptyName',
      reason: 'An annotation without value records nothing.',
      records: { externalName: '' },
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
      title: 'TakenBackBeforeTheCreate',
      reason:
        'The name of a replacement was recorded, and the edit taken back before its mapping was created.',
      records: { externalName: externalNameOf(b), known: a, createUnfinished: true },
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
    if (want === 'terminal') expect(kindOf(thrownBy(decide))).toBe('terminal');
    else expect(decide()).toEqual(want);
  });

  test('a name in another form of the same mapping, as users write it for an import, is settled', () => {
    const names = { ...testNames, parse: (name: string) => testNames.parse(name.replace(/\/$/, '')) };
    const given = records({ names, externalName: `${externalNameOf(a)}/` });
    expect(decideIdentity(given, a)).toEqual({ kind: 'settled' });
  });

  test('a name that was made of the described mapping is settled, whatever its parts contain', () => {
    const given = records({ externalName: externalNameOf(unparsable) });
    expect(decideIdentity(given, unparsable)).toEqual({ kind: 'settled' });
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
  test('an empty external name counts as none', () => {
    expect(identityToDelete(records({ externalName: '', known: b }))).toEqual(b);
  });
  test('a name that was made of the known mapping is this mapping, whatever its parts contain', () => {
    const given = records({ externalName: externalNameOf(unparsable), known: unparsable });
    expect(identityToDelete(given)).toEqual(unparsable);
  });
  test.each([
    {
      title: 'different identities in external name and status',
      name: externalNameOf(b),
      text: 'recorded in the status',
    },
    { title: 'a name of another form', name: 'what', text: 'is not of the form instance/primary/secondary' },
  ])('$title are an error, and nothing is deleted', ({ name, text }) => {
    const error = thrownBy(() => identityToDelete(records({ externalName: name, known: a })));
    expect(kindOf(error)).toBe('terminal');
    expect(String(error)).toContain(text);
  });
});

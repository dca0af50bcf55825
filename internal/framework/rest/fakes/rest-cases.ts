/** What every kind of a REST API has to do, as cases that follow from its definition. */
import assert from 'node:assert/strict';
import { jsonEqual, ownMember, setAt, valueAt } from '../../base/json/json-value.ts';
import type { CustomResourceDefinition } from '../../managed/fakes/index.ts';
import { covers, ownValue, withoutNulls } from '../compare.ts';
import {
  comparedValue,
  fieldPath,
  hasSecretWithin,
  pathOf,
  type RestDefinition,
  sentValue,
  specValue,
} from '../definition.ts';
import { externalNames, textOf } from '../external-name.ts';
import type { RestProvider, RestScope } from '../rest-provider.ts';
import {
  byDepth,
  type Described,
  failsLater,
  fields,
  type Given,
  laterOf,
  references,
  secretFields,
  visibleFields,
} from './field-cases.ts';
import { type Bench, createBench, nameOf, OWN_NAME } from './rest-bench.ts';
import type { RestSamples } from './rest-sample.ts';

export interface RestCase {
  readonly kind: string;
  readonly scope: RestScope;
  readonly name: string;
  run(): Promise<void>;
}

/**
 * In the order of the kinds, for each scope.
 *
 * @param crds with whose schemas the API server in memory sets defaults, removes unknown fields and refuses. Default: none
 */
export function restCases(
  provider: RestProvider,
  samples: RestSamples,
  crds: readonly CustomResourceDefinition[] = [],
): RestCase[] {
  return provider.kinds.flatMap((kind) =>
    (['cluster', 'namespaced'] as const).flatMap((scope) => {
      const sample = samples[nameOf(kind)];
      if (kind.types[scope] === undefined) return [];
      assert.ok(sample, `${nameOf(kind)} has values for tests`);
      const given = { kind, definition: kind.definition, sample, scope, provider };
      return casesOf(given).map(({ name, given: options, run }) => ({
        kind: nameOf(kind),
        scope,
        name,
        run: async () => {
          const bench = await createBench({ provider, samples, kind, scope, crds }, options);
          try {
            await run(bench);
            assert.deepEqual(bench.simulator.unknown, [], 'all requests are operations of the definitions');
          } finally {
            await bench.close();
          }
        },
      }));
    }),
  );
}

function casesOf(given: Given): Described[] {
  return [
    ...creation(given),
    ...fields(given),
    ...secretFields(given),
    ...references(given),
    ...existing(given),
    ...failures(given),
    ...deletion(given),
  ];
}

function creation({ definition, sample }: Given): Described[] {
  const later = laterOf(definition.create);
  const { ready } = definition;
  const pending = ready?.pending?.[0];
  return [
    {
      name: 'is created with all fields, ready, and named; then nothing is written any more',
      run: async (bench) => {
        await bench.untilReady();
        const [request, ...others] = bench.writes('create');
        assert.ok(request, 'create was requested');
        assert.deepEqual(others, [], 'one create was requested');
        for (const [name, field] of Object.entries(definition.fields)) {
          const sent = field.value ?? sentValue(ownMember(sample.forProvider, name), field);
          assert.deepEqual(ownValue(request.body, name, definition.fields), sent, `the request has ${name}`);
        }
        assert.ok(bench.externalName(), 'the external name is recorded');
        const details = bench.connection();
        assert.deepEqual(
          Object.keys(details).sort(),
          Object.keys(definition.connection ?? {}).sort(),
          'connection details',
        );
        await bench.reconcile();
        await bench.reconcile();
        assert.deepEqual(
          bench.writes().map(({ verb }) => verb),
          ['create'],
          'nothing else is written',
        );
        assert.deepEqual(bench.connection(), details, 'connection details stay');
      },
    },
    {
      name: 'takes over what the API sets in fields that are unset',
      given: { fields: sample.required },
      run: async (bench) => {
        await bench.untilReady();
        for (const [name, field] of visibleFields(definition)) {
          const value = ownValue(bench.item().object, name, definition.fields);
          // A null is not stored, and neither is a list with one.
          const stored = withoutNulls(value);
          if (
            sample.required.includes(name) ||
            field.lateInitialize === false ||
            (JSON.stringify(value)?.includes('null') && !jsonEqual(value, stored))
          )
            continue;
          const own = bench.spec()[name];
          const expected = specValue(stored, field);
          // The API server removes members that the spec does not have.
          if (own === undefined || !covers(own, expected)) assert.deepEqual(own, expected, `${name} is set`);
        }
        assert.deepEqual(bench.writes('update'), [], 'nothing is updated');
      },
    },
    ...(later === undefined ? [] : [failsLater('an operation that fails', () => undefined)]),
    ...(ready === undefined || pending === undefined
      ? []
      : [
          {
            name: `is not ready, and not written, while it is ${pending}`,
            run: async (bench: Bench) => {
              await bench.untilReady();
              const before = bench.writes().length;
              const state = bench.item().object;
              setAt(state, pathOf(ready.field), stateLike(valueAt(state, pathOf(ready.field)), pending));
              await bench.reconcile();
              assert.equal(bench.condition('Ready')?.status, 'False');
              assert.equal(bench.writes().length, before);
              setAt(
                state,
                pathOf(ready.field),
                stateLike(valueAt(state, pathOf(ready.field)), ready.values[0] ?? ''),
              );
              await bench.untilReady();
            },
          },
        ]),
  ];
}

/** External resources that were there before. */
function existing({ definition, sample }: Given): Described[] {
  const seed = (bench: Bench, change?: (object: Record<string, unknown>) => void) => {
    const sent: Record<string, unknown> = {};
    for (const [name, field] of byDepth(definition))
      setAt(
        sent,
        fieldPath(name, field),
        field.value ?? sentValue(structuredClone(ownMember(sample.forProvider, name)), field),
      );
    const parameters = Object.fromEntries(
      definition.id.parts.flatMap(({ parameter, from, field = parameter }) => {
        const value =
          from === 'name' ? OWN_NAME : from === 'spec' ? textOf(sample.forProvider[field]) : undefined;
        return value === undefined ? [] : [[parameter, value]];
      }),
    );
    const others = Object.fromEntries(
      Object.entries(definition.parameters ?? {}).map(([parameter, name]) => [
        parameter,
        textOf(sample.forProvider[name]) ?? '',
      ]),
    );
    change?.(sent);
    return bench.add(sent, { ...others, ...parameters });
  };
  const importIt = async (bench: Bench, change?: (object: Record<string, unknown>) => void) => {
    const { object } = seed(bench, change);
    const name = externalNames(definition).from(bench.resource(), object);
    await bench.patch({ metadata: { annotations: { 'crossplane.io/external-name': name } } });
    return name;
  };
  const different = visibleFields(definition).find(
    ([name, field]) =>
      !definition.id.parts.some(({ field: of, parameter }) => (of ?? parameter) === name) &&
      !jsonEqual(
        comparedValue(sentValue(sample.forProvider[name], field), field),
        comparedValue(sentValue(sample.other[name], field), field),
      ),
  );
  const elsewhere = (object: Record<string, unknown>) => {
    if (different === undefined) return;
    const [name, field] = different;
    setAt(object, fieldPath(name, field), sentValue(sample.other[name], field));
  };
  return [
    {
      name: 'is imported by its external name, without a write',
      run: async (bench) => {
        const name = await importIt(bench);
        await bench.untilReady();
        assert.deepEqual([bench.writes(), bench.externalName(), bench.left().length], [[], name, 1]);
      },
    },
    {
      name: 'is only observed with the policy Observe',
      given: { managementPolicies: ['Observe'] },
      run: async (bench) => {
        await importIt(bench, elsewhere);
        await bench.untilReady();
        assert.deepEqual(bench.writes(), []);
        await bench.delete();
        await bench.until('it is gone', bench.isGone);
        assert.deepEqual([bench.writes(), bench.left().length], [[], 1]);
      },
    },
    ...(typeof definition.read === 'object' &&
    'list' in definition.read &&
    definition.read.pages !== undefined
      ? [
          {
            name: 'is found on the last page',
            run: async (bench: Bench) => {
              const { pages } = definition.read as { pages: { size?: number } };
              for (let index = 0; index < Math.min(pages.size ?? 3, 250) + 1; index++) {
                const { parameters } = seed(bench);
                // Of the same parent, but another one.
                for (const { parameter, from } of definition.id.parts)
                  if (from !== 'response') parameters[parameter] = `other-${index}`;
              }
              await importIt(bench);
              await bench.untilReady();
              assert.deepEqual(bench.writes(), []);
            },
          },
        ]
      : []),
  ];
}

function failures({ definition, provider }: Given): Described[] {
  const { id } = definition;
  const isFound = id.parts.every(({ from }) => from !== 'response') || id.findBy !== undefined;
  const later = laterOf(definition.create);
  const { method } = provider.authentication;
  const recovers = (name: string, break_: (bench: Bench) => unknown): Described => ({
    name,
    run: async (bench) => {
      break_(bench);
      await bench.untilReady();
      assert.equal(bench.left().length, 1, 'there is one external resource');
    },
  });
  return [
    {
      name: isFound
        ? 'a create whose response was lost is found'
        : 'a create whose response was lost is not repeated',
      run: async (bench) => {
        bench.fault('create', 'drop', isFound ? 3 : 1);
        if (isFound && later === undefined) {
          await bench.untilReady();
          assert.equal(bench.left().length, 1, 'there is one external resource');
          return;
        }
        await bench.reconcile();
        await bench.clock.advance(60_000);
        await bench.reconcile();
        await bench.reconcile();
        if (isFound) return;
        assert.equal(bench.writes('create').length, 1, 'create is requested once');
        assert.match(bench.condition('Synced')?.message ?? '', /cannot determine creation result/);
      },
    },
    recovers('a create that fails with 500 is tried again', (bench) => bench.fault('create', 500)),
    recovers('a read that fails with 503 is tried again', (bench) => bench.fault('read', 503, 3)),
    {
      name: '429 is tried again when the API says',
      run: async (bench) => {
        await bench.untilReady();
        bench.fault('read', 429);
        const result = await bench.reconcile();
        assert.deepEqual([result.type, 'delayMs' in result && result.delayMs], ['requeue-after', 7000]);
        await bench.untilReady();
      },
    },
    ...((definition.terminalStatuses ?? [400, 422]).includes(422) ? [refusedCreate(definition)] : []),
    {
      name: 'is created again after it was deleted elsewhere',
      run: async (bench) => {
        await bench.untilReady();
        bench.items().length = 0;
        await bench.clock.advance(31_000);
        await bench.until('it exists again', () => bench.left().length === 1);
        await bench.untilReady();
      },
    },
    ...(['config', 'secret'] as const).map(
      (missing): Described => ({
        name: `waits without its ${missing === 'config' ? 'ProviderConfig' : 'credentials'}, then goes on`,
        given: { without: missing },
        run: async (bench) => {
          await bench.reconcile();
          assert.deepEqual([bench.condition('Synced')?.reason, bench.writes()], ['Waiting', []]);
          if (missing === 'config') bench.giveConfig();
          else bench.giveSecret();
          await bench.untilReady();
        },
      }),
    ),
    ...(method === 'none'
      ? []
      : [
          {
            name: 'credentials that the API refuses are named, not shown; new ones help',
            run: async (bench: Bench) => {
              const refused = bench.simulator.credentials();
              bench.simulator.credentials(2);
              await bench.reconcile();
              const message = bench.condition('Synced')?.message ?? '';
              assert.match(message, /credentials/);
              assert.equal(
                JSON.stringify([bench.resource(), bench.events()]).includes(refused),
                false,
                'nothing shows the credentials',
              );
              bench.giveSecret(bench.simulator.credentials(2));
              await bench.untilReady();
            },
          },
        ]),
  ];
}

function deletion({ scope, definition }: Given): Described[] {
  const remove = async (bench: Bench) => {
    await bench.untilReady();
    await bench.delete();
    await bench.until('it is gone', bench.isGone);
  };
  return [
    {
      name: 'is deleted with its external resource',
      run: async (bench) => {
        await remove(bench);
        assert.deepEqual([bench.left().length, bench.writes('delete').length], [0, 1]);
      },
    },
    {
      name: 'is deleted after its external resource is gone already',
      run: async (bench) => {
        await bench.untilReady();
        bench.items().length = 0;
        await bench.delete();
        await bench.until('it is gone', bench.isGone);
      },
    },
    {
      name: 'a delete that fails with 500 is tried again',
      run: async (bench) => {
        await bench.untilReady();
        bench.fault('delete', 500, 3);
        await bench.delete();
        await bench.until('it is gone', bench.isGone);
        assert.equal(bench.left().length, 0);
      },
    },
    ...(laterOf(definition.delete) === undefined
      ? []
      : [
          {
            name: 'a deletion whose operation fails is a condition with its state, and is begun again',
            run: async (bench: Bench) => {
              await bench.untilReady();
              await bench.delete();
              bench.simulator.operationsEnd = 'failed';
              await bench.until('the failure is reported', () =>
                (bench.condition('Synced')?.message ?? '').includes('its operation has ended as'),
              );
              bench.simulator.operationsEnd = 'succeeded';
              await bench.until('it is gone', bench.isGone);
              assert.equal(bench.left().length, 0);
            },
          },
        ]),
    {
      name: 'leaves the external resource without the policy Delete',
      given: { managementPolicies: ['Create', 'Observe', 'Update', 'LateInitialize'] },
      run: async (bench) => {
        await remove(bench);
        assert.deepEqual([bench.left().length, bench.writes('delete').length], [1, 0]);
      },
    },
    ...(scope === 'namespaced'
      ? [
          {
            name: 'is deleted with its namespace, whose Secret and ProviderConfig go first',
            run: async (bench: Bench) => {
              await bench.untilReady();
              await bench.delete();
              await bench.endNamespace();
              await bench.until('it is gone', bench.isGone);
              assert.equal(bench.left().length, 0);
            },
          },
        ]
      : []),
  ];
}

function refusedCreate({ fields }: RestDefinition): Described {
  const sendsSecret = Object.values(fields).some((field) => field.secret || hasSecretWithin(field));
  const refused = async (bench: Bench) => {
    bench.fault('create', 422);
    await bench.reconcile();
    assert.match(bench.condition('Synced')?.message ?? '', /answered 422/);
    await bench.clock.advance(60_000);
  };
  return sendsSecret
    ? {
        name: '422 of create is no end, since the Secret that it sent may be corrected',
        run: async (bench) => {
          await refused(bench);
          await bench.untilReady();
          assert.equal(bench.writes('create').length, 2, 'create is requested again');
        },
      }
    : {
        name: '422 of create is final until the spec changes',
        run: async (bench) => {
          await refused(bench);
          await bench.reconcile();
          assert.equal(bench.writes('create').length, 1, 'create is requested once');
          assert.match(bench.condition('Synced')?.message ?? '', /answered 422/);
        },
      };
}

/** A state of the type that the API has. */
function stateLike(before: unknown, text: string): unknown {
  if (typeof before === 'boolean') return text === 'true';
  return typeof before === 'number' ? Number(text) : text;
}

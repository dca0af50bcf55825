/** What a kind of a REST API does with each field of its spec: values, Secrets and references. */
import assert from 'node:assert/strict';
import { jsonEqual, ownMember, setAt } from '../../base/json/json-value.ts';
import type { ResourceType } from '../../kube/index.ts';
import type { FieldReference } from '../../managed/index.ts';
import { isVisible, ownValue } from '../compare.ts';
import {
  changedWithin,
  comparedValue,
  fieldPath,
  isFixed,
  type JsonObject,
  type RestDefinition,
  type RestField,
  sentValue,
} from '../definition.ts';
import { textOf } from '../external-name.ts';
import type { RestProvider, RestProviderKind, RestScope } from '../rest-provider.ts';
import type { Bench, BenchOptions } from './rest-bench.ts';
import { type RestSample, secretsWithin } from './rest-sample.ts';

type Body = (bench: Bench) => Promise<void>;
export interface Described {
  readonly name: string;
  readonly given?: BenchOptions;
  readonly run: Body;
}

export interface Given {
  readonly kind: RestProviderKind;
  readonly definition: RestDefinition;
  readonly sample: RestSample;
  readonly scope: RestScope;
  readonly provider: RestProvider;
}

/** Fields of the spec that the API returns. */
export const visibleFields = ({ fields: all }: RestDefinition): [string, RestField][] =>
  Object.entries(all).filter(([, field]) => isVisible(field));
/** By the depth of their paths: an object, then fields within it. */
export const byDepth = ({ fields: all }: RestDefinition): [string, RestField][] =>
  Object.entries(all).toSorted(([a, of], [b, to]) => fieldPath(a, of).length - fieldPath(b, to).length);

export function fields({ definition, sample, scope: _ }: Given): Described[] {
  return visibleFields(definition).flatMap(([name, field]): Described[] => {
    const [own, other] = [ownMember(sample.forProvider, name), ownMember(sample.other, name)];
    const isOfId = definition.id.parts.some(
      ({ from, parameter, field: of = parameter }) => from === 'spec' && of === name,
    );
    const isSame = jsonEqual(comparedValue(own, field), comparedValue(other, field));
    if (isOfId || own === undefined || other === undefined || isSame) return [];
    const path = fieldPath(name, field);
    const stored = (bench: Bench) => ownValue(bench.item().object, name, definition.fields);
    const isLater = field.update === undefined && laterOf(definition.update) !== undefined;
    if (!isFixed(definition, field))
      return [
        {
          name: `a change of ${name} made elsewhere is corrected`,
          run: async (bench) => {
            await bench.untilReady();
            setAt(bench.item().object, path, sentValue(structuredClone(other), field));
            await bench.reconcile();
            if (isLater)
              await bench.until('the update has ended', () =>
                jsonEqual(stored(bench), sentValue(own, field)),
              );
            assert.equal(
              bench.writes('update').length + bench.writes('create').length,
              2,
              'one update is requested',
            );
            assert.deepEqual(stored(bench), sentValue(own, field), `${name} is as the spec has it`);
            await bench.untilReady();
          },
        },
        ...(isLater
          ? [
              failsLater(`an update of ${name} whose operation fails`, async (bench) => {
                await bench.untilReady();
                await bench.setFields({ [name]: other });
              }),
            ]
          : []),
        {
          name: `a change of ${name} in the spec is sent`,
          run: async (bench) => {
            await bench.untilReady();
            await bench.setFields({ [name]: other });
            await bench.until(`${name} is sent`, () => jsonEqual(stored(bench), sentValue(other, field)));
          },
        },
      ];
    if (definition.immutable === 'replace')
      return [
        {
          name: `a change of ${name} replaces the external resource`,
          run: async (bench) => {
            await bench.untilReady();
            await bench.setFields({ [name]: other });
            await bench.until(
              `it is replaced`,
              () => bench.writes('delete').length === 1 && bench.left().length === 1,
            );
            assert.deepEqual(stored(bench), sentValue(other, field));
          },
        },
      ];
    return [
      {
        name: `a change of ${name} is refused, and the field is named`,
        run: async (bench) => {
          await bench.untilReady();
          await bench.setFields({ [name]: other });
          await bench.reconcile();
          assert.match(bench.condition('Synced')?.message ?? '', /cannot be changed after the creation/);
          assert.ok(bench.condition('Synced')?.message?.includes(name), `the message names ${name}`);
          assert.deepEqual(
            bench.writes().map(({ verb }) => verb),
            ['create'],
          );
        },
      },
    ];
  });
}

/** Values in Secrets, which the API does not return. */
export function secretFields({ definition, sample }: Given): Described[] {
  return Object.entries(definition.fields).flatMap(([name, field]): Described[] => {
    const [text, ...others] = secretsWithin(sample.forProvider[name], field);
    if (text !== undefined && !others.includes(text) && !isFixed(definition, field))
      return [
        {
          name: `a change of a Secret of ${name} is sent`,
          run: async (bench) => {
            await bench.untilReady();
            bench.changeValue(text, 'changed');
            const stored = () => secretsWithin(ownValue(bench.item().object, name, definition.fields), field);
            await bench.until(`${name} is sent`, () => stored().includes('changed'));
            const before = bench.writes().length;
            await bench.reconcile();
            assert.equal(bench.writes().length, before, 'it is sent once');
          },
        },
      ];
    const other = textOf(ownMember(sample.other, name));
    if (!field.secret || isFixed(definition, field) || other === undefined) return [];
    return [
      {
        name: `a change of ${name} in its Secret is sent`,
        run: async (bench) => {
          await bench.untilReady();
          bench.giveValues({ ...sample.forProvider, [name]: other });
          await bench.until(
            `${name} is sent`,
            () => ownValue(bench.item().object, name, definition.fields) === other,
          );
          const before = bench.writes().length;
          await bench.reconcile();
          assert.equal(bench.writes().length, before, 'it is sent once');
        },
      },
    ];
  });
}

export function references({ kind, definition, sample, scope }: Given): Described[] {
  return (kind.references ?? []).flatMap((reference): Described[] => {
    const { field, ref, selector, many, to, within } = reference;
    const type = scope === 'cluster' ? to.cluster : to.namespaced;
    if (type === undefined) return [];
    const [root = field, ...path] = [...(within ?? []), field];
    const of = ownMember(definition.fields, root);
    const own = ownMember(sample.forProvider, root);
    /** The field of the spec, or its list, with these members in place of the ID. */
    const given = (members: JsonObject): JsonObject =>
      within === undefined
        ? members
        : { [root]: changedWithin(own, path, ({ [field]: _, ...others }) => ({ ...others, ...members })) };
    // The list of the sample is empty.
    if (within !== undefined && jsonEqual(own, given({})[root])) return [];
    const sentAs =
      within === undefined ? of?.sentAs : of?.inner?.find((each) => each.path === path.join('.'))?.sentAs;
    const others = Object.keys(sample.forProvider).filter((name) => name !== root);
    const filled = async (bench: Bench, members: JsonObject) => {
      const text = sentAs === undefined ? 'referenced' : '77';
      const value = many ? [text] : text;
      seedTarget(bench, type, reference, text);
      if (within === undefined)
        await bench.until(`${field} is filled`, () => jsonEqual(bench.spec()[field], value));
      await bench.untilReady();
      if (within !== undefined)
        assert.deepEqual(
          bench.spec()[root],
          bench.asSpec(root, given(members)[root]),
          `${root} has one owner`,
        );
      if (of === undefined) return;
      const [request] = bench.writes('create');
      const sent = sentValue(given({ [field]: value })[root], of);
      assert.deepEqual(ownValue(request?.body, root, definition.fields), sent, `the request has ${field}`);
    };
    const named = { [ref]: many ? [{ name: 'target' }] : { name: 'target' } };
    const selected = { [selector]: { matchLabels: { test: 'target' } } };
    const title = [...(within ?? []), ref].join('.');
    return [
      {
        name: `${field} is filled from ${title}`,
        given: { fields: others, forProvider: given(named) },
        run: (bench) => filled(bench, named),
      },
      {
        name: `${field} is filled from ${[...(within ?? []), selector].join('.')}`,
        given: { fields: others, forProvider: given(selected) },
        run: (bench) => filled(bench, selected),
      },
      {
        name: `waits for the target of ${title}, then goes on`,
        given: { fields: others, forProvider: given(named) },
        run: async (bench) => {
          await bench.reconcile();
          assert.deepEqual([bench.condition('Synced')?.status, bench.writes()], ['False', []]);
          assert.ok(bench.condition('Synced')?.message?.includes(title), `the message names ${title}`);
          seedTarget(bench, type, reference, '77');
          await bench.untilReady();
        },
      },
    ];
  });
}

function seedTarget(bench: Bench, type: ResourceType, { value }: FieldReference, text: string): void {
  const namespace = type.namespaced ? { namespace: bench.namespace } : {};
  const object: Record<string, unknown> = {};
  if (value !== 'external-name') setAt(object, value, text);
  bench.client.seed(type, {
    ...object,
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: {
      name: 'target',
      ...namespace,
      labels: { test: 'target' },
      annotations: { 'crossplane.io/external-name': value === 'external-name' ? text : 'other' },
    },
  });
}

export function failsLater(what: string, prepare: (bench: Bench) => unknown): Described {
  return {
    name: `${what} is a condition with its state, and is begun again`,
    run: async (bench) => {
      await prepare(bench);
      bench.simulator.operationsEnd = 'failed';
      await bench.until('the failure is reported', () =>
        (bench.condition('Synced')?.message ?? '').includes('its operation has ended as'),
      );
      bench.simulator.operationsEnd = 'succeeded';
      await bench.untilReady();
      assert.equal(bench.left().length, 1);
    },
  };
}

export const laterOf = (operation: RestDefinition['create' | 'update' | 'delete']) =>
  typeof operation === 'object' ? operation.later : undefined;

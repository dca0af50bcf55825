/**
 * What every kind has to do on a real API server, where schemas, defaults, references between objects and the deletion of namespaces are
 * those of Kubernetes. One program reconciles all kinds, with the simulator of their API.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { nopLogger } from '../../base/index.ts';
import { jsonEqual, ownMember, valueAt } from '../../base/json/json-value.ts';
import { sleep, systemClock } from '../../base/time/clock.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterConfig,
  namespaces,
  type ObjectKey,
  type ResourceType,
  type Secret,
  secrets,
} from '../../kube/index.ts';
import { createProvider, type FieldReference, getCondition } from '../../managed/index.ts';
import { isVisible, ownValue } from '../compare.ts';
import {
  type JsonObject,
  type RestDefinition,
  type RestOperation,
  type RestResource,
  type Route,
  sentValue,
} from '../definition.ts';
import { textOf } from '../external-name.ts';
import type { RestConfig } from '../rest-api.ts';
import { restKind } from '../rest-kind.ts';
import {
  addRestProvider,
  type RestProvider,
  type RestProviderKind,
  type RestScope,
} from '../rest-provider.ts';
import { nameOf } from './rest-bench.ts';
import type { RestCase } from './rest-cases.ts';
import { type RestSample, type RestSamples, withSecretRefs } from './rest-sample.ts';
import { type RestSimulator, startRestSimulator } from './rest-simulator.ts';

/** A program that reconciles the kinds, and the API that they manage. */
export interface RestProgram {
  readonly client: KubeClient;
  readonly simulator: RestSimulator;
  stop(): Promise<void>;
}

export async function startRestProgram(
  provider: RestProvider,
  samples: RestSamples,
  kubeconfig: string,
): Promise<RestProgram> {
  const clock = systemClock;
  const client = createKubeClient({ config: await loadClusterConfig({ clock, kubeconfig }), clock });
  const simulator = await startRestSimulator(
    provider.kinds.map((kind) => ({
      name: nameOf(kind),
      definition: kind.definition,
      sample: sampleOf(samples, kind),
    })),
    provider.authentication,
  );
  const program = createProvider({
    client,
    log: nopLogger,
    settings: { metricsAddress: '0', healthAddress: '0', pollIntervalMs: 2000 },
  });
  const quick = provider.kinds.map(
    (kind): RestProviderKind => ({
      ...kind,
      definition: withQuickPolls(kind.definition),
      // The simulator shows at once what it has created.
      create: (definition, options) =>
        (kind.create ?? restKind)(definition, { ...options, creationGracePeriodMs: 0 }),
    }),
  );
  const api = addRestProvider({ ...provider, kinds: quick }, program, {
    allowPrivateEndpoints: true,
    env: {},
  });
  const stopping = new AbortController();
  const running = program.run(stopping.signal);
  return {
    client,
    simulator,
    stop: async () => {
      stopping.abort();
      await running;
      await api.close();
      await client.close();
      simulator.close();
    },
  };
}

/** Tests do not wait for an API that answers at once. */
function withQuickPolls(definition: RestDefinition): RestDefinition {
  const { create, update, delete: remove, ready } = definition;
  const pollAfterMs = 200;
  const quick = <T extends { readonly later?: RestOperation }>(operation: T | Route): T | Route =>
    typeof operation === 'string' || operation.later === undefined
      ? operation
      : { ...operation, later: { ...operation.later, pollAfterMs } };
  return {
    ...definition,
    ...(ready === undefined ? {} : { ready: { ...ready, pollAfterMs } }),
    create: quick(create),
    ...(update === undefined ? {} : { update: quick(update) }),
    delete: quick(remove),
  };
}

/** In the order of the kinds, for each scope. Each case has a namespace of its own. */
export function controlPlaneCases(
  provider: RestProvider,
  samples: RestSamples,
  program: () => RestProgram,
): RestCase[] {
  let count = 0;
  return provider.kinds.flatMap((kind) =>
    (['cluster', 'namespaced'] as const).flatMap((scope): RestCase[] => {
      if (kind.types[scope] === undefined) return [];
      const given = { provider, samples, kind, scope };
      return casesOf(given).map(({ name, run }) => ({
        kind: nameOf(kind),
        scope,
        name,
        run: async () => {
          count += 1;
          await run(await createScene({ provider, samples, scope }, program(), `rest-${count}`));
        },
      }));
    }),
  );
}

interface Given {
  readonly provider: RestProvider;
  readonly samples: RestSamples;
  readonly kind: RestProviderKind;
  readonly scope: RestScope;
}

type Scene = Awaited<ReturnType<typeof createScene>>;
interface Described {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<void>;
}

function casesOf({ kind, samples, scope, provider }: Given): Described[] {
  const { definition } = kind;
  const sample = sampleOf(samples, kind);
  const changes = Object.entries(definition.fields).filter(([name, field]) => {
    const isOfId = definition.id.parts.some(({ field: of, parameter }) => (of ?? parameter) === name);
    const canChange =
      field.immutable !== true && (definition.update !== undefined || field.update !== undefined);
    return (
      canChange && !isOfId && isVisible(field) && !jsonEqual(sample.forProvider[name], sample.other[name])
    );
  });
  return [
    {
      name: 'with all fields: its schema accepts them, it is ready, changes are sent, and it is deleted',
      run: async (scene) => {
        const resource = await scene.create(kind);
        const item = scene.item(kind, resource);
        for (const key of Object.keys(definition.connection ?? {}))
          assert.ok(ownMember((await scene.details(kind)).data, key), `the connection Secret has ${key}`);
        if (changes.length > 0) {
          const changed = Object.fromEntries(changes.map(([name]) => [name, sample.other[name]]));
          await scene.setFields(kind, changed);
          await scene.until('changes are sent', () =>
            changes.every(([name, field]) =>
              jsonEqual(ownValue(item.object, name, definition.fields), sentValue(sample.other[name], field)),
            ),
          );
        }
        await scene.remove(kind);
        assert.equal(
          scene.program.simulator.items(nameOf(kind)).includes(item),
          false,
          'the external resource is gone',
        );
      },
    },
    {
      name: 'with the required fields: what the API sets is accepted by its schema',
      run: async (scene) => {
        await scene.create(kind, { fields: sample.required });
        await scene.remove(kind);
      },
    },
    ...(kind.references ?? []).flatMap((reference): Described[] => {
      const target = targetOf(provider, reference, scope);
      // What references within lists fill is not stored; the cases in memory have them.
      if (target === undefined || target === kind || reference.within !== undefined) return [];
      const { field, ref, many, value } = reference;
      return [
        {
          name: `${field} is filled from ${ref}, also if its target is made later`,
          run: async (scene) => {
            const fields = Object.keys(sample.forProvider).filter((name) => name !== field);
            const forProvider = { [ref]: many ? [{ name: OWN_NAME }] : { name: OWN_NAME } };
            const own = scene.create(kind, { fields, forProvider });
            const made = await scene.create(target);
            const text = value === 'external-name' ? externalNameOf(made) : textOf(valueAt(made, value));
            assert.deepEqual(
              ownMember((await own).spec.forProvider as JsonObject, field),
              many ? [text] : text,
            );
            await scene.remove(kind);
            await scene.remove(target);
          },
        },
      ];
    }),
    ...(scope === 'cluster'
      ? []
      : [
          {
            name: 'is deleted with its namespace',
            run: async (scene: Scene) => {
              const item = scene.item(kind, await scene.create(kind));
              await scene.program.client.delete(namespaces, { name: scene.namespace });
              await scene.untilGone(namespaces, { name: scene.namespace });
              assert.equal(
                scene.program.simulator.items(nameOf(kind)).includes(item),
                false,
                'the external resource is gone',
              );
            },
          },
        ]),
  ];
}

const OWN_NAME = 'sample';
const WAIT_MS = 60_000;

/** A namespace with credentials and configurations. Objects of different kinds have the same name. */
async function createScene(
  { provider, samples, scope }: Omit<Given, 'kind'>,
  program: RestProgram,
  namespace: string,
) {
  const { client, simulator } = program;
  const own = scope === 'namespaced' ? { namespace } : {};
  const name = OWN_NAME;
  const key: ObjectKey = { name, ...own };
  const typeOf = (kind: RestProviderKind): ResourceType<RestResource> => {
    const type = kind.types[scope];
    assert.ok(type, `${nameOf(kind)} has the scope ${scope}`);
    return type;
  };
  const secret = (secretName: string, data: JsonObject) =>
    client.create<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, namespace },
      data: Object.fromEntries(
        Object.entries(data).map(([each, value]) => [
          each,
          Buffer.from(textOf(value) ?? JSON.stringify(value)).toString('base64'),
        ]),
      ),
    });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await secret('credentials', { credentials: simulator.credentials() });
  const configType = provider.configKinds[scope].config as ResourceType<RestConfig>;
  await client.create<RestConfig>(configType, {
    apiVersion: `${configType.group}/${configType.version}`,
    kind: configType.kind,
    metadata: { name: namespace, ...own },
    spec: {
      url: simulator.url,
      credentials: {
        source: 'Secret',
        secretRef: { name: 'credentials', key: 'credentials', ...(scope === 'cluster' ? { namespace } : {}) },
      },
    },
  });
  const get = (kind: RestProviderKind) => client.get(typeOf(kind), key);
  const made = new Set<string>();
  /** Values of fields of the spec, with Secrets for what is secret within lists. */
  const asSpec = async ({ definition }: RestProviderKind, values: JsonObject): Promise<JsonObject> => {
    const texts = new Map<string, string>();
    const refTo = (text: string) => {
      const secretName = `value-${hash('sha256', text).slice(0, 10)}`;
      texts.set(secretName, text);
      return { name: secretName, key: 'value', ...(scope === 'cluster' ? { namespace } : {}) };
    };
    const given = Object.entries(values).map(([field, value]) => [
      field,
      withSecretRefs(value, ownMember(definition.fields, field), refTo),
    ]);
    for (const [secretName, value] of texts) {
      if (!made.has(secretName)) await secret(secretName, { value });
      made.add(secretName);
    }
    return Object.fromEntries(given);
  };

  const until = async (
    what: string,
    isSo: () => boolean | Promise<boolean>,
    now: () => string = () => '',
  ): Promise<void> => {
    const end = systemClock.now() + WAIT_MS;
    while (!(await isSo())) {
      if (systemClock.now() > end) assert.fail(`${what}: not so after ${WAIT_MS / 1000} s; ${now()}`);
      await sleep(systemClock, 50);
    }
  };
  const untilGone = (type: ResourceType<KubeObject>, of: ObjectKey) =>
    until(`${type.kind} ${of.name} is gone`, () =>
      client.get(type, of).then(
        () => false,
        (error: unknown) => {
          if (isNotFound(error)) return true;
          throw error;
        },
      ),
    );

  return {
    program,
    namespace,
    until,
    untilGone,
    /** Creates one, and waits until it is ready. */
    create: async (
      kind: RestProviderKind,
      {
        fields,
        forProvider = {},
      }: { readonly fields?: readonly string[]; readonly forProvider?: JsonObject } = {},
    ): Promise<RestResource> => {
      const sample = sampleOf(samples, kind);
      const type = typeOf(kind);
      const isSecret = (each: string) => ownMember(kind.definition.fields, each)?.secret === true;
      const values = Object.entries(sample.forProvider).filter(([each]) => isSecret(each));
      const valuesName = `values-${type.plural}`;
      await secret(valuesName, Object.fromEntries(values));
      const plain = await asSpec(kind, sample.forProvider);
      const given = (fields ?? Object.keys(sample.forProvider)).map((each) =>
        isSecret(each)
          ? [
              `${each}SecretRef`,
              { name: valuesName, key: each, ...(scope === 'cluster' ? { namespace } : {}) },
            ]
          : [each, plain[each]],
      );
      // Everything else has the default of the CRD.
      const spec = {
        forProvider: { ...Object.fromEntries(given), ...forProvider },
        providerConfigRef: { ...(scope === 'cluster' ? {} : { kind: configType.kind }), name: namespace },
        writeConnectionSecretToRef: {
          name: `details-${type.plural}`,
          ...(scope === 'cluster' ? { namespace } : {}),
        },
      };
      const object = {
        apiVersion: `${type.group}/${type.version}`,
        kind: type.kind,
        metadata: { name, ...own },
        spec,
      };
      await client.create<RestResource>(type, object as RestResource, { fieldValidation: 'Strict' });
      let seen: RestResource | undefined;
      const text = (condition: string) => {
        const found = seen && getCondition(seen, condition);
        return `${condition} ${found?.status} ${found?.reason ?? ''} ${found?.message ?? ''}`;
      };
      await until(
        `${type.kind} is ready`,
        async () => {
          seen = await get(kind);
          return ['Ready', 'Synced'].every(
            (each) => seen !== undefined && getCondition(seen, each)?.status === 'True',
          );
        },
        () => `${text('Synced')}; ${text('Ready')}`,
      );
      return get(kind);
    },
    item: (kind: RestProviderKind, resource: RestResource) => {
      const found = simulator.items(nameOf(kind)).at(-1);
      assert.ok(found && externalNameOf(resource), 'the external resource exists, and is named');
      return found;
    },
    details: (kind: RestProviderKind) =>
      client.get(secrets, { name: `details-${typeOf(kind).plural}`, namespace }),
    setFields: async (kind: RestProviderKind, values: JsonObject) =>
      client.mergePatch(typeOf(kind), key, { spec: { forProvider: await asSpec(kind, values) } }),
    remove: async (kind: RestProviderKind) => {
      await client.delete(typeOf(kind), key);
      await untilGone(typeOf(kind), key);
    },
  };
}

/** The kind that a reference leads to, in the scope in which it is made. */
const targetOf = (
  { kinds }: RestProvider,
  { to }: FieldReference,
  scope: RestScope,
): RestProviderKind | undefined =>
  kinds.find(({ types }) => types[scope] !== undefined && types[scope]?.plural === to[scope]?.plural);

const externalNameOf = ({ metadata }: KubeObject) => metadata.annotations?.['crossplane.io/external-name'];

function sampleOf(samples: RestSamples, kind: RestProviderKind): RestSample {
  const sample = samples[nameOf(kind)];
  assert.ok(sample, `${nameOf(kind)} has values for tests`);
  return sample;
}

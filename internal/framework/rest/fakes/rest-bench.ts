/** One resource of a provider with an API server in memory and the simulator of its API. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nopLogger } from '../../base/index.ts';
import { ownMember } from '../../base/json/json-value.ts';
import {
  createObjectWatcher,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  type Secret,
  secrets,
} from '../../kube/index.ts';
import {
  apiError,
  type CustomResourceDefinition,
  crdAdmission,
  createFakeClock,
  createKindHarness,
  createMemoryClient,
  type FakeClock,
} from '../../managed/fakes/index.ts';
import { getCondition } from '../../managed/index.ts';
import { isDeleted } from '../compare.ts';
import type { JsonObject, RestResource } from '../definition.ts';
import { type Parameters, textOf } from '../external-name.ts';
import { createRestApi, type RestConfig } from '../rest-api.ts';
import { type RestProvider, type RestProviderKind, type RestScope, restKinds } from '../rest-provider.ts';
import { type RestSample, type RestSamples, withSecretRefs } from './rest-sample.ts';
import { startRestSimulator } from './rest-simulator.ts';
import type { RestVerb } from './simulated-requests.ts';

export interface BenchGiven {
  readonly provider: RestProvider;
  readonly samples: RestSamples;
  readonly kind: RestProviderKind;
  readonly scope: RestScope;
  /** Default: none; objects are stored as they are. */
  readonly crds?: readonly CustomResourceDefinition[];
}

export interface BenchOptions {
  /** Default: all fields of the sample. */
  readonly fields?: readonly string[];
  /** In place of the values of the sample. */
  readonly forProvider?: JsonObject;
  readonly annotations?: Record<string, string>;
  readonly managementPolicies?: string[];
  readonly without?: 'config' | 'secret';
  readonly credentials?: string;
}

export type Bench = Awaited<ReturnType<typeof createBench>>;

export const OWN_NAME = 'sample';
const CREDENTIALS = { name: 'credentials', key: 'credentials' };
const VALUES = 'values';
const DETAILS = 'details';
/** Reconciles that any case needs at most. */
const MAX_RECONCILES = 12;

export async function createBench(
  { provider, samples, kind, scope, crds = [] }: BenchGiven,
  options: BenchOptions = {},
) {
  const { definition, types } = kind;
  const type = types[scope];
  assert.ok(type, `the kind has no scope ${scope}`);
  const sample = sampleOf(samples, kind);
  const simulator = await startRestSimulator(
    provider.kinds.map((each) => ({
      name: nameOf(each),
      definition: each.definition,
      sample: sampleOf(samples, each),
    })),
    provider.authentication,
  );
  const clock = createFakeClock();
  const client = createMemoryClient({ clock, admission: crdAdmission(crds) });
  const reads = {
    get: <T extends KubeObject>(of: ResourceType<T>, key: ObjectKey, signal: AbortSignal) =>
      client.get(of, key, { signal }),
    versionOf: async () => undefined,
  };
  const objectWatcher = createObjectWatcher({ client, clock });
  const { kinds: _, configKinds, ...settings } = provider;
  const api = createRestApi({
    ...settings,
    clock,
    log: nopLogger,
    cluster: { client, objectWatcher, reads, polledReads: reads },
    allowPrivateEndpoints: true,
    env: {},
  });
  const own = scope === 'namespaced' ? { namespace: 'shop' } : {};
  const namespace = own.namespace ?? 'crossplane-system';
  const secret = (name: string, data: JsonObject) =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: Object.fromEntries(
        Object.entries(data).map(([key, value]) => [
          key,
          Buffer.from(textOf(value) ?? JSON.stringify(value)).toString('base64'),
        ]),
      ),
    });
  const giveSecret = (credentials = simulator.credentials()) =>
    secret(CREDENTIALS.name, { [CREDENTIALS.key]: credentials });
  const configType = configKinds[scope].config as ResourceType<RestConfig>;
  const giveConfig = () =>
    client.seed<RestConfig>(configType, {
      apiVersion: `${configType.group}/${configType.version}`,
      kind: configType.kind,
      metadata: { name: 'api', ...own },
      spec: {
        url: simulator.url,
        credentials: {
          source: 'Secret',
          secretRef: { ...CREDENTIALS, ...(scope === 'cluster' ? { namespace } : {}) },
        },
      },
    });
  if (options.without !== 'config') giveConfig();
  if (options.without !== 'secret') giveSecret(options.credentials);
  const isSecret = (name: string) => ownMember(definition.fields, name)?.secret === true;
  const giveValues = (from: JsonObject) =>
    secret(VALUES, Object.fromEntries(Object.entries(from).filter(([name]) => isSecret(name))));
  giveValues(sample.forProvider);

  /** Of a value within a list. */
  const refTo = (text: string, now = text) => {
    const name = `value-${hash('sha256', text).slice(0, 10)}`;
    secret(name, { value: now });
    return { name, key: 'value', ...(scope === 'cluster' ? { namespace } : {}) };
  };
  /** A value of a field of the spec, whose secrets are in Secrets. */
  const asSpec = (field: string, value: unknown): unknown =>
    withSecretRefs(value, ownMember(definition.fields, field), refTo);
  const asSpecs = (values: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asSpec(name, value)]));

  const names = options.fields ?? Object.keys(sample.forProvider);
  const forProvider: Record<string, unknown> = {};
  for (const name of names) {
    const value = ownMember(options.forProvider, name) ?? ownMember(sample.forProvider, name);
    if (isSecret(name))
      forProvider[`${name}SecretRef`] = {
        name: VALUES,
        key: name,
        ...(scope === 'cluster' ? { namespace } : {}),
      };
    else if (value !== undefined) forProvider[name] = asSpec(name, value);
  }
  const managed = restKinds(provider, scope, api).find((each) => each.type === type);
  assert.ok(managed, 'the kind is made');
  const resource: RestResource = {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name: OWN_NAME, ...own, annotations: options.annotations ?? {} },
    spec: {
      forProvider: { ...forProvider, ...asSpecs(options.forProvider ?? {}) },
      // The API server sets the defaults of CRDs.
      ...(scope === 'cluster' ? { deletionPolicy: 'Delete' } : {}),
      managementPolicies: options.managementPolicies ?? ['*'],
      providerConfigRef: { ...(scope === 'cluster' ? {} : { kind: configType.kind }), name: 'api' },
      writeConnectionSecretToRef: { name: DETAILS, ...(scope === 'cluster' ? { namespace } : {}) },
    } as RestResource['spec'],
  };
  const madeHarness = () => {
    try {
      return createKindHarness<RestResource>({ kind: managed, clock, client, resource, crds });
    } catch (error) {
      simulator.close();
      throw error;
    }
  };
  const harness = madeHarness();

  const reconcile = () => whileTimePasses(clock, harness.reconcile());
  const stored = (): RestResource => {
    const found = harness.stored();
    assert.ok(found, 'the resource exists');
    return found;
  };
  const condition = (name: string) => getCondition(stored(), name);
  const writes = (verb?: RestVerb) =>
    simulator.requests.filter(
      (request) =>
        request.kind === nameOf(kind) &&
        (verb === undefined
          ? request.verb !== 'read' && request.verb !== 'operation'
          : request.verb === verb),
    );
  /** Reconciles until it is so. Time passes between reconciles as polls and backoff make it pass. */
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    for (let round = 0; round < MAX_RECONCILES; round++) {
      await reconcile();
      if (isSo()) return;
      await clock.advance(10_000);
    }
    const found = harness.stored();
    const synced = found && getCondition(found, 'Synced');
    const ready = found && getCondition(found, 'Ready');
    assert.fail(
      `${what}: not so after ${MAX_RECONCILES} reconciles; Synced ${synced?.status}: ${synced?.message ?? ''}; Ready ${ready?.status}: ${ready?.message ?? ''}`,
    );
  };
  const left = () => simulator.items(nameOf(kind)).filter(({ object }) => !isDeleted(object, definition));
  return {
    definition,
    sample,
    simulator,
    client,
    clock,
    scope,
    namespace,
    reconcile,
    until,
    untilReady: () =>
      until(
        'it is ready',
        () => condition('Ready')?.status === 'True' && condition('Synced')?.status === 'True',
      ),
    resource: stored,
    isGone: () => harness.stored() === undefined,
    condition,
    spec: () => stored().spec.forProvider as JsonObject,
    externalName: () => stored().metadata.annotations?.['crossplane.io/external-name'],
    patch: harness.patch,
    /** Sets fields of the spec. */
    setFields: (values: JsonObject) => harness.patch({ spec: { forProvider: asSpecs(values) } }),
    asSpec,
    /** The Secret of a value within a list has another one now. */
    changeValue: refTo,
    delete: harness.delete,
    events: () => harness.recorder.lines(),
    items: () => simulator.items(nameOf(kind)),
    /** Without those that the API keeps for a while after their deletion. */
    left,
    item: () => {
      const [item] = left();
      assert.ok(item, 'the external resource exists');
      return item;
    },
    add: (fields: JsonObject, parameters: Parameters) => simulator.add(nameOf(kind), fields, parameters),
    fault: (verb: RestVerb, answer: number | 'drop', times = 1) =>
      simulator.faults.push({ kind: nameOf(kind), verb, answer, times }),
    writes,
    giveSecret,
    /** The values of the Secret to which the spec refers. */
    giveValues,
    giveConfig,
    connection: () =>
      Object.fromEntries(
        Object.entries(client.peek(secrets, { name: DETAILS, namespace })?.data ?? {}).map(([key, text]) => [
          key,
          Buffer.from(text, 'base64').toString(),
        ]),
      ),
    /** As the API server and its namespace controller do while a namespace is being deleted. */
    endNamespace: async () => {
      await client.delete(secrets, { name: CREDENTIALS.name, namespace });
      await client.delete(configType, { name: 'api', ...own });
      client.onRequest(({ verb, type: of }) => {
        if (verb === 'create' && of.kind === 'ConfigMap') throw namespaceTerminating();
      });
    },
    close: async () => {
      await api.close();
      simulator.close();
    },
  };
}

function namespaceTerminating() {
  const details = { causes: [{ reason: 'NamespaceTerminating', message: 'it is being terminated' }] };
  return Object.assign(apiError(403, 'Forbidden'), { details });
}

export const nameOf = ({ types }: RestProviderKind): string =>
  (types.cluster ?? types.namespaced)?.kind ?? '';

function sampleOf(samples: BenchGiven['samples'], kind: RestProviderKind): RestSample {
  const sample = samples[nameOf(kind)];
  assert.ok(sample, `${nameOf(kind)} has values for tests`);
  return sample;
}

/** Waits for work whose requests need real time, and whose waits between attempts and limits need the time of the clock. */
export async function whileTimePasses<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let ended = false;
  const result = work.finally(() => {
    ended = true;
  });
  result.catch(() => undefined);
  while (!ended) {
    await nextTurn();
    await clock.advance(1);
  }
  return result;
}

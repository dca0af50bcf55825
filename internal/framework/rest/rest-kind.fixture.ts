/** A kind of folders at a simulated API, for the tests of `restKind`. */
import { afterEach, beforeEach } from '@jest/globals';
import { nopLogger } from '../base/index.ts';
import {
  createObjectWatcher,
  type KubeObject,
  type ResourceType,
  type Secret,
  secrets,
} from '../kube/index.ts';
import { createFakeClock, createKindHarness, createMemoryClient } from '../managed/fakes/index.ts';
import { type ConfigKinds, getCondition } from '../managed/index.ts';
import type { RestDefinition, RestOperation, RestResource } from './definition.ts';
import { whileTimePasses } from './fakes/rest-bench.ts';
import { createRestApi, type RestAuthentication, type RestConfig } from './rest-api.ts';
import { restKind } from './rest-kind.ts';
import { type Simulator, startSimulator, TOKEN } from './simulator.fixture.ts';

export interface Folder extends RestResource {
  spec: RestResource['spec'] & { forProvider: Record<string, unknown> };
}

/** Requests that end later have an operation, by whose state the API says how they ended. */
export const laterOperation: RestOperation = {
  from: { field: 'operation.id' },
  read: 'GET /operations/{operation}',
  state: 'state',
  succeeded: ['done'],
  failed: ['failed'],
  message: 'message',
};

const group = 'files.m.example.org';
const typeOf = <T extends KubeObject>(kind: string, plural: string, namespaced = true): ResourceType<T> => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
export const folders = typeOf<Folder>('Folder', 'folders');
export const configs = typeOf<RestConfig>('ProviderConfig', 'providerconfigs');
const kinds: ConfigKinds = {
  scope: 'Namespaced',
  usage: typeOf('ProviderConfigUsage', 'providerconfigusages'),
  config: configs,
  clusterConfig: typeOf('ClusterProviderConfig', 'clusterproviderconfigs', false),
};

const folder: RestDefinition<Folder> = {
  noun: 'folder',
  id: { parts: [{ parameter: 'id', from: 'response' }] },
  create: 'POST /folders',
  read: 'GET /folders/{id}',
  update: { route: 'PATCH /folders/{id}', body: 'changed' },
  delete: 'DELETE /folders/{id}',
  fields: {
    title: {},
    colour: {},
    tags: { unordered: true },
    parent: { as: 'parentId', immutable: true },
    password: { secret: true },
  },
  status: ['id', 'size'],
  connection: { key: { from: 'created', field: 'key' }, id: { from: 'observed', field: 'id' } },
};

/** The API of the running test. */
export let api: Simulator;

/** Each test file calls it once: every test has an API of its own. */
export function useApi(): void {
  beforeEach(async () => {
    api = await startSimulator();
  });
  afterEach(() => api.close());
}

interface Given {
  readonly definition?: Partial<RestDefinition<Folder>>;
  readonly forProvider?: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
  readonly managementPolicies?: string[];
  readonly without?: 'config' | 'secret';
  readonly token?: string;
  readonly authentication?: RestAuthentication;
  /** Of the API, below its host. */
  readonly path?: string;
}

export function setup({ definition = {}, forProvider = { title: 'a' }, ...given }: Given = {}) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const reads = {
    get: <T extends KubeObject>(
      type: ResourceType<T>,
      key: { name: string; namespace?: string },
      signal: AbortSignal,
    ) => client.get(type, key, { signal }),
    versionOf: async () => undefined,
  };
  const objectWatcher = createObjectWatcher({ client, clock });
  const rest = createRestApi({
    clock,
    log: nopLogger,
    cluster: { client, objectWatcher, reads, polledReads: reads },
    system: 'files',
    apiName: 'Files',
    authentication: given.authentication ?? { method: 'bearer' },
    headers: { 'X-From': 'ops@example.org', Accept: 'application/vnd.files+json' },
    allowPrivateEndpoints: true,
    env: {},
  });
  const secret = (name: string, data: Record<string, string>) =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'shop' },
      data: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      ),
    });
  const giveToken = (token = TOKEN) => secret('files', { token });
  const giveConfig = () =>
    client.seed<RestConfig>(configs, {
      apiVersion: `${group}/v1`,
      kind: 'ProviderConfig',
      metadata: { name: 'files', namespace: 'shop' },
      spec: {
        url: `${api.url}${given.path ?? ''}`,
        credentials: { source: 'Secret', secretRef: { name: 'files', key: 'token' } },
      },
    });
  if (given.without !== 'config') giveConfig();
  if (given.without !== 'secret') giveToken(given.token);
  const giveValue = (password: string) => secret('admin', { password, second: `${password}-2` });
  giveValue('hunter2');
  const harness = createKindHarness<Folder>({
    kind: restKind(
      { ...folder, ...definition },
      { type: folders, api: rest, kinds, observeAfterCreate: true },
    ),
    clock,
    client,
    resource: {
      apiVersion: `${group}/v1`,
      kind: 'Folder',
      metadata: { name: 'docs', namespace: 'shop', annotations: given.annotations ?? {} },
      spec: {
        forProvider,
        providerConfigRef: { kind: 'ProviderConfig', name: 'files' },
        writeConnectionSecretToRef: { name: 'docs-connection' },
        ...(given.managementPolicies ? { managementPolicies: given.managementPolicies } : {}),
      },
    },
  });
  const reconcile = () => whileTimePasses(clock, harness.reconcile());
  const stored = () => {
    const found = harness.stored();
    if (found === undefined) throw new Error('the resource is gone');
    return found;
  };
  return {
    ...harness,
    reconcile,
    giveToken,
    giveConfig,
    /** Of the Secret with the password. */
    giveValue,
    resource: stored,
    gone: () => harness.stored() === undefined,
    condition: (type: string) => getCondition(stored(), type),
    externalName: () => stored().metadata.annotations?.['crossplane.io/external-name'],
    connection: () => decoded(client.peek(secrets, { name: 'docs-connection', namespace: 'shop' })),
    forget: () => client.delete(secrets, { name: 'files', namespace: 'shop' }),
  };
}

const decoded = (secret: Secret | undefined) =>
  Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  );
export const writes = () => api.requests.filter((line) => !line.startsWith('GET '));

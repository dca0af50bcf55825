import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { ClusterResponse, ClusterState, MothershipClient } from '../../client/mothership-client.ts';
import { enableCluster, getCluster, reconcileCluster } from './clusters.ts';
import type { CommandRun } from './run-command.ts';

const component = (name: string) => ({ component: name, namespace: 'kyma-system', version: '1.2.3' });
const state = {
  cluster: { runtimeID: 'r-1', version: 1, runtime: { name: 'shop' }, metadata: {} },
  configuration: {
    version: 2,
    kymaVersion: '2.20.0',
    kymaProfile: 'production',
    components: [component('istio'), component('serverless')],
  },
  status: { status: 'error', created: new Date().toISOString() },
} as unknown as ClusterState;
const failures = [
  { component: 'istio', reason: 'no image' },
  { component: 'CRDs', reason: 'cannot fetch the version' },
];

test('clusters get shows each failure, also of a step that is no component of the configuration', async () => {
  const printed: string[] = [];
  const client = {
    listClusters: async () => [],
    clusterState: async () => state,
    clusterStatus: async () => ({ failures, statusURL: 'https://x' }) as unknown as ClusterResponse,
  } as unknown as MothershipClient;
  const output = { print: (text: string) => void printed.push(text) };
  const run = { client, output, signal: new AbortController().signal } as unknown as CommandRun;
  await getCluster('r-1', { output: 'table' }, run);
  const text = printed.join('');
  expect(
    text
      .slice(text.indexOf('COMPONENT'))
      .split(/\n/)
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ['COMPONENT', 'NAMESPACE', 'VERSION', 'FAILURE'],
    ['istio', 'kyma-system', '1.2.3', 'no image'],
    ['serverless', 'kyma-system', '1.2.3', '-'],
    ['CRDs', '-', '-', 'cannot fetch the version'],
    [''],
  ]);
});

test.each(['json', 'yaml'] as const)('values of secret entries are not printed as %s', async (output) => {
  const entries = [
    { key: 'user', value: 'me', secret: false },
    { key: 'password', value: 'hidden', secret: true },
  ];
  const configuration = {
    ...state.configuration,
    components: [{ ...component('istio'), configuration: entries }, component('serverless')],
  };
  const printed: string[] = [];
  const client = {
    listClusters: async () => [],
    clusterState: async () => ({ ...state, configuration }),
    clusterStatus: async () => ({ failures, statusURL: 'https://x' }),
  };
  const run = {
    client,
    output: { print: (text: string) => void printed.push(text) },
    signal: new AbortController().signal,
  } as unknown as CommandRun;
  await getCluster('r-1', { output }, run);
  expect(parse(printed.join('')).configuration.components).toMatchObject([
    { configuration: [entries[0], { ...entries[1], value: '[redacted]' }] },
    component('serverless'),
  ]);
});

test('a cluster by its name is listed once, and names the paused rollouts that hold it', async () => {
  const requests: string[] = [];
  const answers: Partial<Record<keyof MothershipClient, unknown>> = {
    listClusters: [{ runtimeID: 'r-1', name: 'shop', held: true }],
    clusterState: state,
    clusterStatus: { failures, statusURL: 'https://x' },
    listRollouts: [
      { paused: true, kind: 'version', name: '2.20.0' },
      { paused: false, kind: 'component', name: 'istio' },
      { paused: true, kind: 'component', name: 'serverless' },
      { paused: true, kind: 'component', name: 'kiali' },
    ],
  };
  const client = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      async () => {
        requests.push(name);
        return answer;
      },
    ]),
  );
  const printed: string[] = [];
  const output = { print: (text: string) => void printed.push(text) };
  const run = { client, output, signal: new AbortController().signal } as unknown as CommandRun;
  await getCluster('shop', { output: 'table' }, run);
  expect(printed.join('')).toMatch(/^Held by: +version 2\.20\.0, component serverless$/m);
  expect(requests).toEqual(['listClusters', 'clusterState', 'clusterStatus', 'listRollouts']);
});

test.each(['delete_pending', 'deleting', 'delete_error_retryable', 'delete_error'])(
  'a cluster that is %s is not installed again by a command that starts runs',
  async (status) => {
    const set: string[] = [];
    const client = {
      listClusters: async () => [],
      clusterState: async () => ({ ...state, status: { status } }),
      setStatus: async (_: string, wanted: string) => {
        set.push(wanted);
        return { status: wanted };
      },
    } as unknown as MothershipClient;
    const output = { info: () => undefined };
    const run = { client, output, signal: new AbortController().signal } as unknown as CommandRun;
    for (const start of [reconcileCluster, enableCluster])
      await expect(start('r-1', run)).rejects.toThrow(/cannot \w+ cluster r-1: its? .*delet/);
    expect(set).toEqual([]);
  },
);

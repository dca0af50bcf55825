/** What Gardener does not accept, and with which status: the state machine goes by it. */
import { expect } from '@jest/globals';
import { type ShootSpec, shoots, type Worker } from '../../../../apis/gardener/kinds.ts';
import {
  type ContractCase,
  changed,
  createShoot,
  shootOf,
  statusOf,
  uniqueShootName,
  withWorkers,
  worker,
} from '../contract-case.ts';

const image = (version: string) => ({ type: 'm6i.large', image: { name: 'gardenlinux', version } });
const networking = (ranges: object) => ({ ...shootOf({ namespace: '' }, '').spec?.networking, ...ranges });
const oidcConfig = { clientID: 'c', issuerURL: 'https://issuer.example.org' };

const specs: readonly [what: string, spec: Partial<ShootSpec>, status: number | undefined][] = [
  ['a SecretBinding of another provider', { secretBindingName: 'gcp-binding' }, 403],
  // An error of the server, though the Shoot is wrong.
  ['a SecretBinding that does not exist', { secretBindingName: 'none' }, 500],
  ['a cloud profile that does not exist', { cloudProfileName: 'none' }, 500],
  ['an extension that is not registered', { extensions: [{ type: 'none' }] }, 403],
  ['a version of Kubernetes that is not offered', { kubernetes: { version: '1.20.0' } }, 403],
  [
    'legacy OIDC with Kubernetes 1.31',
    { kubernetes: { version: '1.31.8', kubeAPIServer: { oidcConfig } } },
    undefined,
  ],
  [
    'legacy OIDC with Kubernetes 1.32',
    { kubernetes: { version: '1.32.4', kubeAPIServer: { oidcConfig } } },
    422,
  ],
  ['a purpose that does not exist', { purpose: 'fun' }, 422],
  ['a range that is none', { networking: networking({ nodes: 'x' }) }, 422],
];

const workers: readonly [what: string, workers: readonly Worker[], status: number | undefined][] = [
  ['a machine type that does not exist', [worker({ machine: { ...image('1592.1.0'), type: 'none' } })], 403],
  ['an image version that does not exist', [worker({ machine: image('1.0.0') })], 403],
  ['a volume type that does not exist', [worker({ volume: { type: 'none', size: '80Gi' } })], 403],
  ['a zone that does not exist', [worker({ zones: ['mars-1'] })], 403],
  ['a name of 15 characters', [worker({ name: 'a23456789012345' })], undefined],
  ['a name of 16 characters', [worker({ name: 'a234567890123456' })], 422],
  ['no nodes in any pool', [worker({ minimum: 0, maximum: 0 })], 422],
  ['no nodes in one of two pools', [worker(), worker({ name: 'two', minimum: 0, maximum: 0 })], undefined],
];

const zones = ['eu-central-1a', 'eu-central-1b'];

const changes: readonly [what: string, change: (spec: ShootSpec) => ShootSpec, status: number | undefined][] =
  [
    ['an older Kubernetes', (spec) => ({ ...spec, kubernetes: { version: '1.30.12' } }), 422],
    ['the next Kubernetes', (spec) => ({ ...spec, kubernetes: { version: '1.32.4' } }), undefined],
    ['no workers', (spec) => ({ ...spec, provider: { ...spec.provider, workers: [] } }), 422],
    [
      'another machine type',
      ofWorkers([worker({ zones, machine: { ...image('1592.1.0'), type: 'm6i.xlarge' } })]),
      undefined,
    ],
    ['an older image', ofWorkers([worker({ zones, machine: image('1591.1.0') })]), undefined],
    // Extensions of providers refuse some of these; the API server does not.
    ['zones in another order', ofWorkers([worker({ zones: [...zones].reverse() })]), undefined],
    ['one zone less', ofWorkers([worker()]), undefined],
    ['another pool', ofWorkers([worker({ zones }), worker({ name: 'two' })]), undefined],
  ];

function ofWorkers(workers: Worker[]) {
  return (spec: ShootSpec): ShootSpec => ({ ...spec, provider: { ...spec.provider, workers } });
}

const answer = (status: number | undefined) =>
  status === undefined ? 'is accepted' : `is answered with ${status}`;

export const refusalCases: readonly ContractCase[] = [
  ...specs.map(
    ([what, spec, status]): ContractCase => ({
      title: `a Shoot with ${what} ${answer(status)}`,
      run: async (server) => {
        const shoot = shootOf(server, uniqueShootName(), spec);
        expect(await statusOf(server.client.create(shoots, shoot, { dryRun: true }))).toBe(status);
      },
    }),
  ),
  ...workers.map(
    ([what, list, status]): ContractCase => ({
      title: `a worker with ${what} ${answer(status)}`,
      run: async (server) => {
        const shoot = withWorkers(shootOf(server, uniqueShootName()), [...list]);
        expect(await statusOf(server.client.create(shoots, shoot, { dryRun: true }))).toBe(status);
      },
    }),
  ),
  ...changes.map(
    ([what, change, status]): ContractCase => ({
      title: `a change to ${what} ${answer(status)}`,
      run: async (server) => {
        const created = await createShoot(server);
        const live = await server.client.update(shoots, withWorkers(created, [worker({ zones })]));
        expect(await statusOf(server.client.update(shoots, changed(live, change), { dryRun: true }))).toBe(
          status,
        );
      },
    }),
  ),
];

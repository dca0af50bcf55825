/**
 * Random changes of Runtimes on a real gardener-apiserver: the Shoot of a changed Runtime is the Shoot of a new one with that spec, but
 * for what others own.
 */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Shoot, type ShootSpec, shoots, type Worker } from '../../../apis/gardener/kinds.ts';
import {
  type Runtime,
  type RuntimeSpec,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { configMaps } from '../../../internal/framework/kube/index.ts';
import { planUpdate } from '../../../internal/systems/infrastructure-manager/gardener/plan-update.ts';
import { readAppliedFields } from '../../../internal/systems/infrastructure-manager/gardener/shoot-fields.ts';
import { appliedGeneration } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { campaign } from '../../campaign/campaign.ts';
import {
  configurationOf,
  pool,
  runtimeOf,
  type ShootChange,
  zonesOf,
} from '../../contract/gardener/rendering/choices.ts';
import { eventually } from '../../environment/eventually.ts';
import { MACHINE_TYPES, VOLUME_TYPES } from '../../environment/gardener/catalog.ts';
import { type ModuleEnvironment, NAMESPACE, startModuleEnvironment } from './module-environment.ts';

const { seed, runs, long } = campaign({ seed: 51, runs: 6 });

/** Pairs at the same time. */
const BATCH = 10;

let environment: ModuleEnvironment;

beforeAll(async () => {
  // A machine with other work answers late, and nothing here is about that.
  environment = await startModuleEnvironment({ flags: { 'gardener-request-timeout': '60s' } });
  await environment.start({ garden: environment.garden.kubeconfig });
}, 120_000);

afterAll(() => environment?.stop());

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const words = fc.constantFrom('a', 'b', 'team', 'example.org/x');
const texts = fc.dictionary(words, fc.constantFrom('1', '0.5', '120m', ''), { maxKeys: 3 });
const durations = fc.constantFrom('120m', '2h', '90s', '1h30m', '45m0s', '1.5h');
const ZONES = zonesOf('aws').slice(0, 2);

/** What users set in a pool, in all forms that Gardener reads. */
const pools = fc
  .record(
    {
      labels: texts,
      annotations: texts,
      taints: fc.uniqueArray(
        fc.record(
          { key: words, effect: fc.constantFrom('NoSchedule', 'NoExecute'), value: fc.constantFrom('', 'v') },
          { requiredKeys: ['key', 'effect'] },
        ),
        { maxLength: 2, selector: ({ key, effect }) => key + effect },
      ),
      sysctls: fc.constantFrom({}, { 'vm.max_map_count': '262144' }, { 'net.core.somaxconn': '1024' }),
      machineControllerManager: fc.record(
        {
          machineDrainTimeout: durations,
          machineHealthTimeout: durations,
          maxEvictRetries: fc.integer({ min: 1, max: 9 }),
        },
        { requiredKeys: [] },
      ),
      clusterAutoscaler: fc.record(
        { scaleDownUnneededTime: durations, maxNodeProvisionTime: durations },
        { requiredKeys: [] },
      ),
      kubelet: fc.record(
        {
          maxPods: fc.integer({ min: 50, max: 110 }),
          kubeReserved: fc.record(
            { cpu: fc.constantFrom('0.1', '100m', '1'), memory: fc.constantFrom('1024Mi', '1Gi', '1.5Gi') },
            { requiredKeys: [] },
          ),
          evictionPressureTransitionPeriod: durations,
        },
        { requiredKeys: [] },
      ),
      priority: fc.integer({ min: 0, max: 5 }),
      maximum: fc.integer({ min: 3, max: 9 }),
      machine: fc.constantFrom(...MACHINE_TYPES.aws),
      volume: fc.record({
        type: fc.constantFrom(...VOLUME_TYPES.aws),
        size: fc.constantFrom('50Gi', '80Gi'),
      }),
    },
    { requiredKeys: [] },
  )
  .map(({ kubelet, machine, ...more }): Partial<Worker> => {
    const { machine: given } = pool('aws', ZONES);
    return {
      ...more,
      ...(kubelet === undefined ? {} : { kubernetes: { kubelet } }),
      ...(machine === undefined ? {} : { machine: { ...given, type: machine } }),
    };
  });

const oidcConfigs = fc.record(
  {
    clientID: fc.constantFrom('c', 'd'),
    issuerURL: fc.constantFrom('https://a.example.org', 'https://b.example.org'),
    groupsClaim: fc.constant('groups'),
    groupsPrefix: fc.constantFrom('g:', '-'),
    usernameClaim: fc.constantFrom('sub', 'email'),
    usernamePrefix: fc.constantFrom('u:', '-'),
    signingAlgs: fc.constantFrom(['RS256'], ['RS256', 'ES256']),
    requiredClaims: fc.constantFrom({ a: 'b' }, { a: 'c', d: 'e' }),
  },
  { requiredKeys: ['clientID', 'issuerURL'] },
);

interface Choice {
  readonly main: Partial<Worker>;
  readonly extra: Readonly<Record<string, Partial<Worker>>>;
  readonly shoot: {
    readonly purpose: string;
    readonly licenceType: string | undefined;
    readonly oidcConfig: object | undefined;
  };
  readonly filter: { readonly egress: boolean; readonly ingress: boolean };
}

const choices: fc.Arbitrary<Choice> = fc.record({
  main: pools,
  extra: fc.dictionary(fc.constantFrom('extra-a', 'extra-b', 'extra-c'), pools, { maxKeys: 3 }),
  shoot: fc.record({
    purpose: fc.constantFrom('production', 'development'),
    licenceType: some(fc.constantFrom('x', 'y')),
    oidcConfig: some(oidcConfigs),
  }),
  filter: fc.record({ egress: fc.boolean(), ingress: fc.boolean() }),
});

const pairs = fc.record({ before: choices, after: choices, isOwned: fc.boolean() });

function runtimeWith(name: string, { main, extra, shoot, filter }: Choice): Runtime {
  const { purpose, licenceType, oidcConfig } = shoot;
  const workers = [
    pool('aws', ZONES, main),
    ...Object.entries(extra).map(([each, more]) =>
      pool('aws', ZONES.slice(1), { ...more, name: each, minimum: 0 }),
    ),
  ];
  const kubernetes = {
    version: '1.30.12',
    ...(oidcConfig === undefined ? {} : { kubeAPIServer: { oidcConfig } }),
  };
  const change: ShootChange = { purpose, kubernetes, ...(licenceType === undefined ? {} : { licenceType }) };
  const { egress, ingress } = filter;
  const networking = { filter: { egress: { enabled: egress }, ingress: { enabled: ingress } } };
  const security: RuntimeSpec['security'] = { administrators: ['admin@example.org'], networking };
  const { metadata, ...rest } = runtimeOf('aws', name, workers, change, { security });
  return { ...rest, metadata: { ...metadata, namespace: NAMESPACE } };
}

/** What an owner sets in a Shoot. */
const OWNED = {
  hibernation: { schedules: [{ start: '0 20 * * *' }] },
  kubernetes: { kubeControllerManager: { podEvictionTimeout: '3m0s' } },
};

async function settled(name: string): Promise<Shoot> {
  const { project, objects } = environment;
  return eventually(
    async () => {
      const { metadata, status } = await objects.get(runtimes, { namespace: NAMESPACE, name });
      const shoot = await project.client.get(shoots, { namespace: project.namespace, name });
      const why = { name, conditions: status?.conditions?.map(({ message }) => message) };
      expect({ ...why, generation: appliedGeneration(shoot) }).toEqual({
        ...why,
        generation: metadata.generation,
      });
      expect(shoot.status?.lastOperation?.state).toBe('Succeeded');
      expect(shoot.spec?.dns?.domain).toBeDefined();
      return shoot;
    },
    { timeoutMs: 180_000 },
  );
}

/** What the gardener-apiserver makes of a new Shoot, without storing it. */
async function newShootOf(runtime: Runtime, name: string): Promise<ShootSpec> {
  const { project } = environment;
  const rendered = rendering().create(runtime, undefined);
  // A Shoot refers to it, and a dry run of the Shoot needs it.
  await project.client.create(configMaps, rendering().authenticationConfig(runtime));
  const { spec } = await project.client.create(shoots, rendered, { dryRun: true });
  const text = JSON.stringify(spec).replaceAll(runtime.spec?.shoot.name ?? '', name);
  return JSON.parse(text) as ShootSpec;
}

const rendering = () =>
  createShootRendering({ ...configurationOf(environment.project.project), maintenanceWindows: new Map() });

/** Without what Gardener chooses. */
function comparable({ seedName: _, maintenance, dns, ...spec }: ShootSpec): object {
  const { timeWindow: _w, ...rest } = maintenance ?? {};
  const byName = (a: Worker, b: Worker) => (a.name < b.name ? -1 : 1);
  const workers = spec.provider.workers?.toSorted(byName);
  return { ...spec, dns: dns?.domain, maintenance: rest, provider: { ...spec.provider, workers } };
}

test(
  'the Shoot of a changed Runtime is that of a new one with this spec, but for what others own, and at rest it has no drift',
  async () => {
    const sample = fc.sample(pairs, { seed, numRuns: runs });
    for (let first = 0; first < sample.length; first += BATCH) {
      const batch = sample
        .slice(first, first + BATCH)
        .map((pair, index) => ({ ...pair, name: `p-${first + index}` }));
      const { objects, project } = environment;
      await Promise.all(batch.map(({ name, before }) => objects.apply(runtimes, runtimeWith(name, before))));
      for (const { name, isOwned } of batch) {
        await settled(name);
        const key = { namespace: project.namespace, name };
        if (isOwned) await project.client.mergePatch(shoots, key, { spec: OWNED });
      }
      await Promise.all(batch.map(({ name, after }) => objects.apply(runtimes, runtimeWith(name, after))));
      for (const { name, after, isOwned } of batch) {
        const shoot = await settled(name);
        const [runtime, live] = [runtimeWith(name, after), shoot.spec];
        const fresh = await newShootOf(runtimeWith(name.replace('p', 'f'), after), name);
        const { kubernetes, ...rest } = fresh;
        const { kubeControllerManager } = kubernetes;
        const owned = {
          ...rest,
          hibernation: OWNED.hibernation,
          kubernetes: {
            ...kubernetes,
            kubeControllerManager: { ...kubeControllerManager, ...OWNED.kubernetes.kubeControllerManager },
          },
        };
        expect({ name, spec: live && comparable(live) }).toEqual({
          name,
          spec: comparable(isOwned ? (owned as ShootSpec) : fresh),
        });
        const { metadata } = await objects.get(runtimes, { namespace: NAMESPACE, name });
        const wanted = rendering().patch({ ...runtime, metadata }, shoot, undefined);
        const applied = readAppliedFields(shoot, String(metadata.generation));
        expect(applied).toBeDefined();
        expect({ name, drift: planUpdate(shoot, wanted, { applied }).differences }).toEqual({
          name,
          drift: [],
        });
      }
      await Promise.all(batch.map(({ name }) => objects.delete(runtimes, { namespace: NAMESPACE, name })));
    }
  },
  long ? 7_200_000 : 300_000,
);

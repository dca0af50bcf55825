/**
 * Random changes of a Runtime, of its Shoot, its Secret and its cluster by others, faults and restarts, on API servers in memory and a
 * simulated Gardener. When the faults have ended, everything is as the Runtime says, nothing is written at rest, and a deletion leaves
 * nothing.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { customConfigs } from '../../../internal/controllers/infrastructure-manager/registrycache/custom-config.ts';
import {
  clusterRoleBindings,
  openIdConnectType,
} from '../../../internal/controllers/infrastructure-manager/runtime/cluster/kinds.ts';
import {
  runtimeOf,
  SHOOT,
  worker,
} from '../../../internal/controllers/infrastructure-manager/runtime/fixtures/runtime.fixture.ts';
import {
  type RuntimeHarness,
  startRuntimeHarness,
} from '../../../internal/controllers/infrastructure-manager/runtime/fixtures/runtime-harness.fixture.ts';
import { apiError } from '../../../internal/kube/fakes/memory-client.ts';
import { secrets } from '../../../internal/kube/index.ts';
import { createShootAuthority } from '../../simulators/gardener/gardenlet/shoot-authority.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../simulators/gardener/simulated-gardener.ts';
import { campaign } from '../campaign.ts';

type Harness = RuntimeHarness<SimulatedGardener>;

/** What the Runtime should say at the end. */
interface Model {
  maximum: number;
  administrators: string[];
  issuers: string[];
  /** Registries of which the users of the runtime want caches. */
  caches: string[];
}

type Action =
  | { readonly kind: 'maximum'; readonly value: number }
  | { readonly kind: 'administrators'; readonly value: string[] }
  | { readonly kind: 'issuers'; readonly value: string[] }
  | { readonly kind: 'caches'; readonly value: string[] }
  | { readonly kind: 'drift' | 'force' | 'rotate' | 'delete Secret' | 'empty Secret' | 'delete bindings' }
  | { readonly kind: 'restart' | 'reconcile of Gardener' }
  | {
      readonly kind: 'fault';
      readonly at: 'management' | 'gardener' | 'runtime';
      readonly status: number;
      readonly count: number;
    }
  | { readonly kind: 'wait'; readonly ms: number };

const users = fc.uniqueArray(fc.constantFrom('a@example.org', 'b@example.org', 'c@example.org'), {
  minLength: 1,
});
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('maximum' as const), value: fc.integer({ min: 3, max: 20 }) }),
  fc.record({ kind: fc.constant('administrators' as const), value: users }),
  fc.record({
    kind: fc.constant('issuers' as const),
    value: fc.uniqueArray(fc.constantFrom('one', 'two', 'three'), { minLength: 1 }),
  }),
  fc.record({
    kind: fc.constant('caches' as const),
    value: fc.uniqueArray(fc.constantFrom('docker.io', 'ghcr.io')),
  }),
  fc.record({
    kind: fc.constantFrom(
      'drift',
      'force',
      'rotate',
      'delete Secret',
      'empty Secret',
      'delete bindings',
      'restart',
      'reconcile of Gardener',
    ),
  }) as fc.Arbitrary<Action>,
  fc.record({
    kind: fc.constant('fault' as const),
    at: fc.constantFrom('management' as const, 'gardener' as const, 'runtime' as const),
    status: fc.constantFrom(409, 429, 500, 503, 504),
    count: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 1000, 30_000, 3_600_000) }),
);

const clientOf = (h: Harness, at: 'management' | 'gardener' | 'runtime') =>
  ({ management: h.client, gardener: h.gardener.client, runtime: h.runtime })[at];

const absent = (error: unknown) => {
  if (!/not found/.test(String(error))) throw error;
};

async function perform(h: Harness, model: Model, step: Action, faults: (() => void)[]): Promise<void> {
  const shootKey = { namespace: h.gardener.namespace, name: SHOOT };
  const clusterKey = { namespace: 'kcp-system', name: 'runtime-1' };
  const secretKey = { namespace: 'kcp-system', name: 'kubeconfig-runtime-1' };
  const others = h.client.otherProgram();
  const gardener = h.gardener.client.otherProgram();
  switch (step.kind) {
    case 'maximum':
      model.maximum = step.value;
      return h.patch({ spec: { shoot: { provider: { workers: [worker({ maximum: step.value })] } } } });
    case 'administrators':
      model.administrators = step.value;
      return h.patch({ spec: { security: { administrators: step.value } } });
    case 'issuers': {
      model.issuers = step.value.map((name) => `https://${name}.example.org`);
      const additionalOidcConfig = model.issuers.map((issuerURL) => ({ issuerURL, clientID: 'client' }));
      return h.patch({ spec: { shoot: { kubernetes: { kubeAPIServer: { additionalOidcConfig } } } } });
    }
    case 'caches': {
      model.caches = step.value;
      const config = {
        ...{ apiVersion: customConfigs.apiVersion, kind: customConfigs.kind },
        metadata: { namespace: 'default', name: 'caches' },
        spec: { caches: step.value.map((upstream) => ({ upstream })) },
      };
      await h.runtime.otherProgram().apply(customConfigs, config, { fieldManager: 'users', force: true });
      return;
    }
    case 'force':
      return h.patch({
        metadata: { annotations: { 'operator.kyma-project.io/force-patch-reconciliation': 'true' } },
      });
    case 'drift':
      await gardener.mergePatch(shoots, shootKey, { spec: { purpose: 'evaluation' } }).catch(absent);
      return;
    case 'rotate': {
      const annotations = { 'operator.kyma-project.io/force-kubeconfig-rotation': '' };
      await others.mergePatch(gardenerClusters, clusterKey, { metadata: { annotations } }).catch(absent);
      return;
    }
    case 'delete Secret':
      return others.delete(secrets, secretKey).catch(absent);
    case 'empty Secret':
      await others.mergePatch(secrets, secretKey, { data: { config: '' } }).catch(absent);
      return;
    case 'delete bindings':
      for (const { metadata } of h.runtime.peekAll(clusterRoleBindings))
        await h.runtime.otherProgram().delete(clusterRoleBindings, { name: metadata.name });
      return;
    case 'restart':
      return h.restart();
    case 'reconcile of Gardener':
      await h.gardener.gardenlet.begin(SHOOT).catch(absent);
      return;
    case 'fault': {
      let left = step.count;
      faults.push(
        clientOf(h, step.at).onRequest(({ verb }) => {
          if (verb === 'watch' || left-- <= 0) return;
          throw apiError(step.status, step.status === 409 ? 'Conflict' : 'Fault', 'injected');
        }),
      );
      return;
    }
    case 'wait':
      return h.wait(step.ms);
    default:
      return step satisfies never;
  }
}

const { seed, runs } = campaign({ seed: 20_241_125, runs: 4 });
const authority = await createShootAuthority();

async function live(steps: readonly Action[]): Promise<void> {
  const h = await startRuntimeHarness((options) => startSimulatedGardener({ ...options, authority }), {
    hasRegistryCaches: true,
  });
  const model: Model = {
    maximum: 3,
    administrators: ['admin@example.org'],
    issuers: ['https://operator.example.org'],
    caches: [],
  };
  const faults: (() => void)[] = [];
  try {
    await h.create(runtimeOf());
    for (const step of steps) {
      await perform(h, model, step, faults);
      await h.wait(10);
    }
    for (const end of faults) end();
    // Delays grow to five minutes, and clusters are checked each hour.
    await h.wait(3_600_000);
    await h.wait(3_600_000);
    expect(h.stored()?.status?.state).toBe('Ready');
    expect(h.stored()?.status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
    expect(h.shoot()?.spec).toMatchObject({
      purpose: 'development',
      provider: { workers: [{ maximum: model.maximum }] },
    });
    const admins = h.runtime
      .peekAll(clusterRoleBindings)
      .flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
    expect(admins.sort()).toEqual([...model.administrators].sort());
    const issuers = h.runtime.peekAll(openIdConnectType).map(({ spec }) => spec?.issuerURL);
    expect(issuers).toEqual(model.issuers);
    const extension = h.shoot()?.spec?.extensions?.find(({ type }) => type === 'registry-cache');
    expect(h.stored()?.spec?.imageRegistryCache?.enabled ?? false).toBe(model.caches.length > 0);
    if (model.caches.length > 0)
      expect(extension).toMatchObject({
        disabled: false,
        providerConfig: { caches: model.caches.map((upstream) => ({ upstream })) },
      });
    else expect(extension?.disabled ?? true).toBe(true);
    const [secret, ...more] = h.client.peekAll(secrets);
    expect(more).toEqual([]);
    expect(Buffer.from(secret?.data?.config ?? '', 'base64').toString()).toContain('client-certificate-data');
    const writes = () =>
      [h.client, h.gardener.client, h.runtime]
        .flatMap(({ requests }) => requests)
        .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;
    const before = writes();
    await h.restart();
    await h.wait(600_000);
    expect(writes()).toBe(before);
    await h.delete();
    await h.wait(600_000);
    expect([h.stored(), h.shoot(), h.client.peekAll(gardenerClusters), h.client.peekAll(secrets)]).toEqual([
      undefined,
      undefined,
      [],
      [],
    ]);
    expect(h.gardener.errors).toEqual([]);
  } finally {
    await h.stop();
  }
}

test(
  'a Runtime converges after random changes and faults',
  async () => {
    const steps = fc.array(action, { minLength: 3, maxLength: 20 });
    await fc.assert(fc.asyncProperty(steps, live), { seed, numRuns: runs, endOnFailure: true });
  },
  60_000 + runs * 30_000,
);

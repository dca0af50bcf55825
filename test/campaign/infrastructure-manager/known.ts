import {
  runtimeOf,
  worker,
} from '../../../internal/controllers/infrastructure-manager/runtime/fixtures/runtime.fixture.ts';
import type { KnownViolation } from '../runner/campaign-module.ts';
import type { RuntimeAction } from './runtime-module.ts';

type Shoot = NonNullable<ReturnType<typeof runtimeOf>['spec']>['shoot'];

const set = (more: Partial<Shoot> = {}, at = 0): RuntimeAction => {
  const { spec } = runtimeOf(more);
  if (spec === undefined) throw new Error('a Runtime without spec');
  return { of: 'runtime', user: { do: 'set', at, spec } };
};
const wait = (ms = 300_000): RuntimeAction => ({ of: 'process', process: { do: 'wait', ms } });

const issuerURL = 'https://one.example.org';
const oidc = (more: object): Partial<Shoot> => ({
  kubernetes: { kubeAPIServer: { oidcConfig: { issuerURL, clientID: 'one', ...more } } },
});

const poolWith = (more: object): Shoot['provider'] => ({ type: 'aws', workers: [worker(more)] });

const adoption: readonly RuntimeAction[] = [
  set(),
  wait(),
  { of: 'runtime', user: { do: 'copy', at: 0, to: 1 } },
  wait(),
  { of: 'runtime', user: { do: 'delete', at: 1 } },
];

/** Violations that exist today. */
export const knownRuntimeViolations: readonly KnownViolation<RuntimeAction>[] = [
  {
    invariant: 'path independence',
    what: /^shoots\.\w+\.spec\.kubernetes\.kubeAPIServer\.oidcConfig\./,
    actions: [set(oidc({ groupsPrefix: 'g:' })), wait(), set(oidc({}))],
    reason: 'a field of oidcConfig that is taken out of the Runtime stays in its Shoot',
    since: '2026-11-28',
  },
  {
    invariant: 'path independence',
    what: /^shoots\.\w+\.annotations\.\S+licence-type/,
    actions: [set({ licenceType: 'SAPDEV' }), wait(), set()],
    reason: 'an annotation whose field is taken out of the Runtime stays on its Shoot',
    since: '2026-11-28',
  },
  {
    invariant: 'path independence',
    what: /^shoots\.\w+\.spec\.maintenance\.timeWindow/,
    actions: [set({ purpose: 'production' }), wait(), set()],
    reason: 'the maintenance window of production stays when the purpose changes',
    since: '2026-11-28',
  },
  {
    invariant: 'path independence',
    what: /^shoots\.\w+\.spec\.provider\.workers\./,
    actions: [set({ provider: poolWith({ labels: { a: 'one' } }) }), wait(), set()],
    reason: 'a field of a pool that is taken out of the Runtime stays in its Shoot',
    since: '2026-11-28',
  },
  {
    invariant: 'ownership',
    what: /^Shoot .* is deleted/,
    actions: adoption,
    reason: 'a Runtime that names the Shoot of another Runtime adopts it, and deletes it when it is deleted',
    since: '2026-11-28',
  },
  {
    invariant: 'ownership',
    what: /^GardenerCluster .* is deleted/,
    actions: adoption,
    reason:
      'a Runtime with a copied label runtime-id deletes the GardenerCluster of the other when it is deleted',
    since: '2026-11-28',
  },
];

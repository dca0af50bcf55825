/**
 * SIGKILL before and after each step of a reconcile: the steps of creation, adoption, replacement and deletion that send a
 * request to HANA Cloud or to the API server, as `crash-safety.property.test.ts` has them in memory. The next process
 * completes what was begun: one mapping for each resource that stays, none for the others. The input objects of an
 * adopted mapping change before it starts.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import { eventually } from '../../environment/eventually.ts';
import type { Route } from '../../simulators/hana-cloud/contract.ts';
import { type ApiProxy, startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import type { ProxiedRequest } from '../harness/api-proxy/proxy-rules.ts';
import { forEach } from '../harness/for-each.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';

type Phase = 'creation' | 'adoption' | 'replacement' | 'deletion';

interface Step {
  readonly phase: Phase;
  readonly title: string;
  /** Requests to HANA Cloud: which of the phase. */
  readonly hana?: { readonly route: Route; readonly skip?: number };
  /** Requests to the API server about the mapping. */
  readonly kube?: (request: ProxiedRequest) => boolean;
}

const isStatus = ({ path }: ProxiedRequest) => path.endsWith('/status');
/** Not one that says that the adoption waits for others with a claim. */
const isStatusOfMapping = (request: ProxiedRequest) =>
  isStatus(request) && request.body.includes('"mappingId"');
const isUsage = ({ path }: ProxiedRequest) => path.includes(`/${providerConfigUsages.plural}`);
const isEvent = ({ path }: ProxiedRequest) => path.includes('/events');
const sends = (method: string, of: (request: ProxiedRequest) => boolean) => (request: ProxiedRequest) =>
  request.method === method && of(request);
const ofObject = (request: ProxiedRequest) => !isStatus(request) && !isUsage(request) && !isEvent(request);

const recordsAdoption = 'finalizer and external name';
const releasesUsage = 'the finalizer of the usage';

const steps: readonly Step[] = [
  { phase: 'creation', title: 'the usage of the ProviderConfig', kube: sends('POST', isUsage) },
  { phase: 'creation', title: 'a token', hana: { route: 'token' } },
  { phase: 'creation', title: 'observe', hana: { route: 'list' } },
  { phase: 'creation', title: 'the intent, with finalizer and external name', kube: sends('PUT', ofObject) },
  { phase: 'creation', title: 'create', hana: { route: 'create' } },
  { phase: 'creation', title: 'observe after create', hana: { route: 'list', skip: 1 } },
  { phase: 'creation', title: 'the status', kube: sends('PUT', isStatus) },
  { phase: 'adoption', title: recordsAdoption, kube: sends('PUT', ofObject) },
  { phase: 'adoption', title: 'the status', kube: sends('PUT', isStatusOfMapping) },
  { phase: 'replacement', title: 'observe', hana: { route: 'list' } },
  { phase: 'replacement', title: 'the check of the version', kube: sends('GET', ofObject) },
  { phase: 'replacement', title: 'delete', hana: { route: 'delete' } },
  { phase: 'replacement', title: 'the intent', kube: sends('PUT', ofObject) },
  { phase: 'replacement', title: 'create', hana: { route: 'create' } },
  { phase: 'replacement', title: 'observe after create', hana: { route: 'list', skip: 1 } },
  { phase: 'replacement', title: 'the status', kube: sends('PUT', isStatus) },
  { phase: 'deletion', title: 'observe', hana: { route: 'list' } },
  { phase: 'deletion', title: 'the check of the version', kube: sends('GET', ofObject) },
  { phase: 'deletion', title: 'delete', hana: { route: 'delete' } },
  { phase: 'deletion', title: 'observe after delete', hana: { route: 'list', skip: 1 } },
  { phase: 'deletion', title: 'the finalizer', kube: sends('PUT', ofObject) },
  { phase: 'deletion', title: releasesUsage, kube: sends('PATCH', isUsage) },
];

interface Point extends Step {
  readonly when: 'before' | 'after';
}

const points: readonly Point[] = steps.flatMap((step) => [
  { ...step, when: 'before' },
  { ...step, when: 'after' },
]);

/** All reconciles of a group hang at the same time, so they are fewer than one host of HANA Cloud may have (24). */
const groups: readonly (readonly Phase[])[] = [['creation', 'adoption'], ['replacement'], ['deletion']];

let environments: readonly FaultEnvironment[] = [];
const scenarios = new Map<Point, Scenario>();

beforeAll(async () => {
  environments = await Promise.all(groups.map(() => startFaultEnvironment()));
  await Promise.all(
    environments.map((environment, index) => {
      const phases = groups[index] ?? [];
      return killAtEach(
        environment,
        points.filter(({ phase }) => phases.includes(phase)),
      );
    }),
  );
}, 120_000);
afterAll(() => Promise.all(environments.map((environment) => environment.stop())));

/** Kills the provider when each point is reached, and starts the next one. */
async function killAtEach(environment: FaultEnvironment, own: readonly Point[]): Promise<void> {
  const proxy = await startApiProxy(environment.account.kubeconfig);
  environment.onStop(proxy.close);
  const run = () => environment.run({ kubeconfig: proxy.kubeconfig, args: ['--external-timeout=60s'] });
  const provider = await run();
  const started = new Map<Point, Scenario>();
  await forEach(own, async (point) => {
    const scenario = await environment.scenario();
    started.set(point, scenario);
    scenarios.set(point, scenario);
    await scenario.applySources();
    if (point.phase === 'adoption') scenario.hana.addMapping();
    if (existsBefore(point)) await scenario.create();
  });
  for (const [point, scenario] of started) if (existsBefore(point)) await scenario.untilReady();
  const reached = new Map<Point, Awaited<ReturnType<typeof holdAt>>>();
  for (const [point, scenario] of started)
    reached.set(point, await holdAt(point, scenario, { environment, proxy }));
  await forEach(started, ([{ phase }, scenario]) => {
    if (phase === 'creation' || phase === 'adoption') return scenario.create();
    if (phase === 'deletion') return scenario.delete();
    return scenario.patch({ spec: { forProvider: { isDefault: true } } });
  });
  await eventually(async () => {
    const usages = await environment.management.list(providerConfigUsages);
    const missing = [...reached].filter(([{ title }, { hits, uid }]) => {
      // Once the garbage collector deletes a usage, any provider of this control plane releases it, also those of other tests.
      const isReleased = title === releasesUsage && !usages.some(({ metadata }) => metadata?.name === uid);
      return hits() === 0 && !isReleased;
    });
    expect(missing.map(([point]) => titleOf(point))).toEqual([]);
  });
  await provider.kill();
  await forEach(started, async ([{ phase }, scenario]) => {
    if (phase === 'adoption')
      await scenario.apply('config', { data: { CLUSTER_ID: laterClusterID(scenario) } });
  });
  environment.simulator.faults.clear();
  proxy.resume();
  await run();
}

const existsBefore = ({ phase }: Point) => phase === 'replacement' || phase === 'deletion';
const laterClusterID = ({ clusterID }: Scenario) => `later-${clusterID}`;
const titleOf = ({ phase, title, when }: Point) => `${phase}: ${when} ${title}`;

/** The first request of the step gets no response, and has no effect, or has it. Returns how many there were, and of which mapping. */
async function holdAt(
  { hana, kube, when }: Point,
  scenario: Scenario,
  { environment, proxy }: { readonly environment: FaultEnvironment; readonly proxy: ApiProxy },
) {
  const { uid = '' } = (await scenario.find())?.metadata ?? {};
  if (kube !== undefined) {
    // A usage is named by the uid of its mapping, and its first version has the name of the mapping.
    const isOwn = ({ path, body }: ProxiedRequest) =>
      path.includes(scenario.name) || body.includes(scenario.name) || (uid !== '' && path.includes(uid));
    const rule = { on: (request: ProxiedRequest) => isOwn(request) && kube(request), first: 1 };
    return { uid, hits: proxy.add({ ...rule, do: { kind: 'hold', when } }).hits };
  }
  const { route, skip = 0 } = hana ?? { route: 'list' };
  const on = { route, skip, first: 1 };
  if (route !== 'token') return { uid, hits: scenario.hana.fault(on, { kind: 'hang', when }).hits };
  const clientID = scenario.hana.clientID();
  const fault = environment.simulator.faults.add({ on: { ...on, clientID }, do: { kind: 'hang', when } });
  return { uid, hits: fault.hits };
}

test.each(points.map((point) => ({ name: titleOf(point), point })))('$name', async ({ point }) => {
  const { phase, title, when } = point;
  const scenario = scenarios.get(point);
  if (scenario === undefined) throw new Error('the set-up did not complete');
  const { hana } = scenario;
  if (phase === 'deletion') {
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
    return;
  }
  const wanted = hana.mapping({
    isDefault: phase === 'replacement',
    ...(phase === 'adoption' ? { primaryID: laterClusterID(scenario) } : {}),
  });
  // A mapping that is not recorded yet does not belong to the resource.
  const isForeign = phase === 'adoption' && title === recordsAdoption && when === 'before';
  await eventually(async () => {
    expect(scenario.mappings()).toEqual(isForeign ? [hana.mapping(), wanted] : [wanted]);
    const { metadata, status } = await scenario.get();
    for (const type of ['Synced', 'Ready']) {
      const condition = status?.conditions?.find((each) => each.type === type);
      expect(condition).toMatchObject({ status: 'True', observedGeneration: metadata?.generation });
    }
  });
  // Nothing that existed was created again.
  expect(hana.requests({ route: 'create', status: 409 })).toEqual([]);
  expect(hana.requests({ route: 'create', status: 201 }).length).toBeLessThanOrEqual(
    phase === 'replacement' ? 2 : 1,
  );
});

test('nothing was sent to HANA Cloud outside of its contract, and no usage is left', async () => {
  expect(environments.flatMap(({ simulator }) => simulator.violations())).toEqual([]);
  const deleted = [...scenarios].flatMap(([{ phase }, { name }]) => (phase === 'deletion' ? [name] : []));
  await eventually(async () => {
    const [first] = environments;
    const usages = await first?.management.list(providerConfigUsages);
    expect(
      usages?.map(({ resourceRef }) => resourceRef.name).filter((name) => deleted.includes(name)),
    ).toEqual([]);
  });
});

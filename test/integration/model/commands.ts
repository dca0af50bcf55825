/** The commands of the model-based test, each with its effect on the model and on the real system. */
import fc, { type AsyncCommand } from 'fast-check';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { configMaps } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Route } from '../../simulators/hana-cloud/contract.ts';
import type { FaultAction } from '../../simulators/hana-cloud/faults/faults.ts';
import {
  alive,
  KINDS,
  type Kind,
  type Model,
  type ModelResource,
  note,
  POLICIES,
  primaryID,
  SHARDS,
  TARGETS,
} from './model.ts';
import type { RunEnvironment } from './run-environment.ts';

type Action = (model: Model, run: RunEnvironment) => Promise<void>;

/** A command that can always be run. */
const command = (text: string, action: Action): AsyncCommand<Model, RunEnvironment> => ({
  check: () => true,
  run: async (model, run) => {
    await action(model, run);
    note(model);
  },
  toString: () => text,
});

/** More would only slow a run down. */
const MOST_RESOURCES = 6;

async function create(
  model: Model,
  run: RunEnvironment,
  of: Omit<ModelResource, 'id' | 'deleted'>,
): Promise<void> {
  const resource = { ...of, id: model.resources.length, deleted: false };
  await run.create(resource, model.shards[of.target] ?? SHARDS[0]);
  model.resources.push(resource);
}

/** A command about one of the resources; without any it creates the first. */
const about = (
  text: string,
  pick: number,
  act: (resource: ModelResource, model: Model, run: RunEnvironment) => Promise<unknown>,
) =>
  command(`${text} #${pick}`, async (model, run) => {
    const present = alive(model);
    const resource = present[pick % present.length];
    if (resource === undefined) {
      const kind: Kind = KINDS[pick % KINDS.length] ?? 'kyma';
      const target = pick % TARGETS;
      await create(model, run, { kind, target, isDefault: false, policies: ['*'], orphan: false });
    } else await act(resource, model, run);
  });

const patch = (run: RunEnvironment, { id }: ModelResource, body: unknown) =>
  run.resources.get(id)?.patch(body);

async function remove(resource: ModelResource, run: RunEnvironment): Promise<void> {
  resource.deleted = true;
  await run.resources.get(resource.id)?.delete();
}

const target = fc.nat({ max: TARGETS - 1 });
const pick = fc.nat({ max: MOST_RESOURCES - 1 });
const shard = fc.constantFrom(...SHARDS);

const creations = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    target,
    isDefault: fc.boolean(),
    policies: fc.constantFrom(...POLICIES.slice(0, 3), POLICIES[0], POLICIES[0]),
    orphan: fc.boolean(),
  })
  .map(({ orphan, ...of }) => {
    const wanted = { ...of, orphan: orphan && of.kind !== 'kyma namespaced' && of.isDefault };
    return command(`create ${JSON.stringify(wanted)}`, async (model, run) => {
      const [oldest] = alive(model);
      if (oldest !== undefined && alive(model).length >= MOST_RESOURCES) await remove(oldest, run);
      else await create(model, run, wanted);
    });
  });

const edits = fc.oneof(
  fc.tuple(pick, fc.boolean()).map(([number, isDefault]) =>
    about(`isDefault ${isDefault}`, number, async (resource, _model, run) => {
      resource.isDefault = isDefault;
      await patch(run, resource, { spec: { forProvider: { isDefault } } });
    }),
  ),
  fc.tuple(pick, fc.constantFrom(...POLICIES)).map(([number, policies]) =>
    about(`policies ${policies}`, number, async (resource, _model, run) => {
      resource.policies = policies;
      await patch(run, resource, { spec: { managementPolicies: policies } });
    }),
  ),
  fc.tuple(pick, fc.boolean()).map(([number, paused]) =>
    about(`paused ${paused}`, number, async (resource, _model, run) => {
      const annotations = { 'crossplane.io/paused': paused ? 'true' : null };
      await patch(run, resource, { metadata: { annotations } });
    }),
  ),
);

const deletions = pick.map((number) =>
  about('delete', number, (resource, _model, run) => remove(resource, run)),
);

const moves = fc.tuple(target, shard).map(([of, to]) =>
  command(`move ${of} to shard ${to}`, async (model, run) => {
    model.shards[of] = to;
    for (const resource of alive(model).filter((each) => each.target === of))
      await patch(run, resource, { metadata: { labels: { shard: to } } });
  }),
);

const sourceChanges = fc.oneof(
  target.map((of) =>
    command(`new cluster ID of ${of}`, async (model, run) => {
      const variant = ((model.variants[of] ?? 0) + 1) % 3;
      await run.applyClusterID(of, variant);
      model.variants[of] = variant;
    }),
  ),
  target.map((of) =>
    command(`no cluster ID of ${of}`, async (_model, { sources }) => {
      const key = { namespace: sources.namespace, name: `id-${of}` };
      if ((await sources.sourcePlane.find(configMaps, key)) !== undefined)
        await sources.sourcePlane.delete(configMaps, key);
      else
        await sources.sourcePlane.apply(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key });
    }),
  ),
  fc.constantFrom('instance', 'binding', 'secret').map((source) =>
    command(`${source} is replaced`, async (_model, { sources }) => {
      await sources.remove(source).catch(() => undefined);
      await sleep(systemClock, 50);
      await sources.apply(source);
    }),
  ),
  fc.boolean().map((late) =>
    command(`credentials are rotated${late ? ', late' : ''}`, async (_model, run) => {
      const { environment } = run.lane;
      await environment.simulator.rotateCredentials(run.sources.instanceID, { revokeOld: true });
      if (late) await sleep(systemClock, 300);
      await run.applyCredentials();
    }),
  ),
);

const thirdParties = fc.tuple(target, fc.nat({ max: 2 }), fc.boolean()).map(([of, variant, add]) =>
  command(`a third party ${add ? 'adds' : 'removes'} ${primaryID(of, variant)}`, async (model, run) => {
    const id = primaryID(of, variant);
    const { hana, instanceID } = run.sources;
    const mapping = hana.mapping({ primaryID: run.clusterID(id) });
    const { store } = run.lane.environment.simulator;
    if (add) {
      model.mayRemain.add(id);
      model.foreign.add(id);
      store.addMapping(instanceID, mapping);
    } else store.removeMapping(instanceID, mapping);
  }),
);

const when = fc.constantFrom('before', 'after');
const actions: fc.Arbitrary<FaultAction> = fc.oneof(
  fc.record({ kind: fc.constant('reset' as const), when }),
  fc.record({ kind: fc.constant('hang' as const), when }),
  fc.record({ kind: fc.constant('delay' as const), ms: fc.integer({ min: 20, max: 1500 }) }),
  // Without 404, which would deny a mapping that exists: nothing could notice that.
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(401, 403, 409, 500, 503), when }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constant(429),
    headers: fc.constantFrom({}, { 'retry-after': '1' }),
    when,
  }),
  fc.constantFrom<FaultAction>(
    { kind: 'malformed' },
    { kind: 'truncated' },
    { kind: 'oversized', bytes: 5_000_000 },
    { kind: 'expired-token' },
    { kind: 'router-404' },
  ),
);

const faults = fc
  .tuple(fc.constantFrom<Route>('list', 'create', 'delete', 'token'), actions, fc.integer({ min: 1, max: 3 }))
  .map(([route, action, first]) =>
    command(`fault ${route} ${first}× ${JSON.stringify(action)}`, async (_model, { lane }) => {
      lane.environment.simulator.faults.add({ on: { route, first }, do: action });
    }),
  );

const processFaults = fc.oneof(
  fc
    .tuple(shard, fc.constantFrom('SIGKILL', 'SIGTERM'))
    .map(([of, signal]) =>
      command(`${signal} of shard ${of}, and a new process`, (_model, { lane }) => lane.restart(of, signal)),
    ),
  fc.tuple(shard, fc.integer({ min: 50, max: 1500 })).map(([of, ms]) =>
    command(`shard ${of} is frozen for ${ms} ms`, async (_model, { lane }) => {
      lane.signal(of, 'SIGSTOP');
      // Meanwhile the other commands go on. A process that was killed since then is not affected.
      void sleep(systemClock, ms).then(() => lane.signal(of, 'SIGCONT'));
    }),
  ),
);

const waits = fc
  .integer({ min: 0, max: 400 })
  .map((ms) => command(`wait ${ms} ms`, () => sleep(systemClock, ms)));

/** Sequences of at least thirty commands. */
export const commandSequences = fc.array(
  fc.oneof(
    { arbitrary: creations, weight: 6 },
    { arbitrary: edits, weight: 6 },
    { arbitrary: deletions, weight: 4 },
    { arbitrary: waits, weight: 5 },
    { arbitrary: faults, weight: 4 },
    { arbitrary: sourceChanges, weight: 3 },
    { arbitrary: moves, weight: 2 },
    { arbitrary: thirdParties, weight: 2 },
    { arbitrary: processFaults, weight: 1 },
  ),
  { minLength: 30, maxLength: 45, size: 'max' },
);

/** Ends a run: everything that blocks is taken away, and the real system is compared with the model. */
import { expect } from '@jest/globals';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { eventually } from '../../environment/eventually.ts';
import { changesByMapping, mappingKey, overlaps } from '../faults/changes.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { leftByKnownLimit } from './known-limit.ts';
import { alive, byMapping, type Model, SHARDS, TARGETS } from './model.ts';
import type { RunEnvironment } from './run-environment.ts';

/** The longest backoff of a retry fits into it. */
const converged = { timeoutMs: 90_000, intervalMs: 250 };

/** Without faults, with all sources, full policies and nothing paused, the model is reached. */
export async function expectConvergence(model: Model, run: RunEnvironment): Promise<void> {
  const { simulator } = run.lane.environment;
  simulator.faults.clear();
  for (const shard of SHARDS) run.lane.signal(shard, 'SIGCONT');
  await run.sources.applySources(['instance', 'binding']);
  await run.applyCredentials();
  for (let target = 0; target < TARGETS; target++)
    await run.applyClusterID(target, model.variants[target] ?? 0);
  for (const { id, deleted } of model.resources) {
    const object = run.resources.get(id);
    if ((await object?.find()) === undefined) continue;
    const annotations = {
      'crossplane.io/paused': null,
      'crossplane.io/reconcile-requested-at': uniqueName('end'),
    };
    const spec = deleted ? {} : { spec: { managementPolicies: ['*'] } };
    try {
      await object?.patch({ metadata: { annotations }, ...spec });
    } catch (error) {
      // A deleted resource may be gone since it was read.
      if (!deleted || (await object?.find()) !== undefined) throw error;
    }
  }
  await eventually(() => expectModel(model, run), converged);
  expectSafety(model, run);

  for (const resource of alive(model)) {
    resource.deleted = true;
    await run.resources.get(resource.id)?.delete();
  }
  await eventually(() => expectModel(model, run), converged);
  expectSafety(model, run);
  expect(simulator.violations()).toEqual([]);
  for (const id of run.leftByKnownLimit) process.stderr.write(`model: ${id} is left by a known limit\n`);
}

async function expectModel(model: Model, run: RunEnvironment): Promise<void> {
  const objects = new Map<number, Managed | undefined>();
  for (const { id } of model.resources) objects.set(id, await run.resources.get(id)?.find());
  const problems: string[] = [];
  for (const { id, deleted } of model.resources) {
    const object = objects.get(id);
    if (deleted && object !== undefined) problems.push(`${describe(object)} is not gone`);
    if (!deleted && object === undefined) problems.push(`resource ${id} is gone`);
  }
  const held = heldByConflicts(model);
  const wanted = new Map<string, boolean>();
  for (const [id, claimants] of byMapping(model)) {
    const byAge = claimants
      .map(({ id, isDefault }) => ({ object: objects.get(id), isDefault }))
      .toSorted((a, b) => (ageOf(a.object) < ageOf(b.object) ? -1 : 1));
    for (const [index, { object, isDefault }] of byAge.entries()) {
      if (index === 0 && !held.has(id)) wanted.set(run.clusterID(id), isDefault);
      const inConflict = conditionOf(object, 'Synced')?.reason === 'Conflict';
      const settled = index === 0 ? isReady(object) || (inConflict && held.has(id)) : inConflict;
      if (!settled) problems.push(`${describe(object)} is ${index === 0 ? 'not Ready' : 'no conflict'}`);
    }
  }
  const mappings = new Map(run.mappings().map((mapping) => [mapping.primaryID, mapping.isDefault]));
  for (const [id, isDefault] of wanted) {
    if (mappings.get(id) !== isDefault) problems.push(`mapping ${id}: ${mappings.get(id)}, not ${isDefault}`);
  }
  const mayRemain = new Set([...model.mayRemain, ...held].map(run.clusterID));
  const ownerless = [...mappings.keys()].filter((id) => !wanted.has(id) && !mayRemain.has(id));
  const excused = ownerless.length === 0 ? new Set() : await leftByKnownLimit(run);
  for (const id of ownerless) {
    if (excused.has(id)) run.leftByKnownLimit.add(id);
    else problems.push(`mapping ${id} belongs to no resource`);
  }
  if (alive(model).length === 0) problems.push(...(await leftUsages(model, run)));
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${await historyOf(run)}`);
}

/**
 * Mappings that a resource may still hold because it is in conflict about the mapping that it describes now: it then
 * writes nothing to HANA Cloud, and its former mapping stays until the conflict ends.
 */
function heldByConflicts(model: Model): ReadonlySet<string> {
  const losers = new Map(
    [...byMapping(model)].flatMap(([id, claimants]) =>
      claimants.length > 1 ? claimants.map((resource) => [resource.id, id] as const) : [],
    ),
  );
  return new Set(
    [...model.claimants].flatMap(([id, claimants]) =>
      [...claimants].some((resource) => losers.has(resource) && losers.get(resource) !== id) ? [id] : [],
    ),
  );
}

/** What must hold whatever the order of events: of mappings that only one resource has ever described. */
function expectSafety(model: Model, run: RunEnvironment): void {
  const { simulator } = run.lane.environment;
  const { instanceID, namespace } = run.sources;
  const requests = simulator.requests({ instance: instanceID });
  const contested = [...model.claimants].flatMap(([id, claimants]) =>
    claimants.size > 1 || model.foreign.has(id)
      ? [mappingKey(instanceID, { primaryID: run.clusterID(id), secondaryID: namespace })]
      : [],
  );
  const changes = new Map(changesByMapping(requests));
  for (const key of contested) changes.delete(key);
  expect(overlaps(changes)).toEqual([]);
}

/** What explains a failure: the requests to HANA Cloud, those to the management cluster, and the logs. */
async function historyOf({ lane, sources, resources }: RunEnvironment): Promise<string> {
  const { simulator, planes } = lane.environment;
  const calls = simulator
    .requests({ instance: sources.instanceID })
    .map(({ at, route, status, outcome, token, body, query, faults }) => {
      const what = JSON.stringify(route === 'create' ? body : query);
      return `${new Date(at).toISOString()} ${route} ${status ?? outcome} token ${token} ${what} ${faults.join(' ')}`;
    });
  const names = new Set([...resources.values()].map(({ name }) => name));
  const events = await planes.management.auditEvents('mappings');
  const writes = events
    .filter(({ verb, objectRef }) => verb !== 'get' && names.has(objectRef?.name ?? ''))
    .map(({ requestReceivedTimestamp, verb, objectRef, user, responseStatus }) =>
      [
        requestReceivedTimestamp,
        verb,
        objectRef?.name,
        objectRef?.subresource,
        user.username,
        responseStatus?.code,
      ].join(' '),
    );
  return [...calls, '', ...writes, '', lane.lastWords()].join('\n');
}

async function leftUsages(model: Model, run: RunEnvironment): Promise<string[]> {
  const names = new Set(model.resources.map(({ id }) => run.resources.get(id)?.name));
  const usages = await run.lane.environment.management.list(providerConfigUsages);
  return usages.flatMap(({ metadata, resourceRef }) =>
    names.has(resourceRef.name) ? [`usage ${metadata.name} of ${resourceRef.name} is left`] : [],
  );
}

const ageOf = (object: Managed | undefined): string =>
  `${object?.metadata.creationTimestamp}/${object?.metadata.uid}`;

const conditionOf = (object: Managed | undefined, type: string) =>
  object?.status?.conditions?.find((condition) => condition.type === type);

const isReady = (object: Managed | undefined): boolean =>
  (object?.metadata.finalizers?.length ?? 0) > 0 &&
  ['Ready', 'Synced'].every((type) => {
    const condition = conditionOf(object, type);
    return condition?.status === 'True' && condition.observedGeneration === object?.metadata.generation;
  });

const describe = (object: Managed | undefined): string =>
  JSON.stringify({
    name: object?.metadata.name,
    labels: object?.metadata.labels,
    annotations: object?.metadata.annotations,
    deleted: object?.metadata.deletionTimestamp,
    finalizers: object?.metadata.finalizers,
    spec: object?.spec,
    conditions: object?.status?.conditions?.map(({ type, status, reason, message }) =>
      [type, status, reason, message].join(' '),
    ),
  });

/** `doctor runtime/NAME`: from the Runtime to its Shoot, its kubeconfig and its cluster. */
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type Clock, formatTimestamp, messageOf } from '../../../framework/base/index.ts';

import {
  type ConnectCluster,
  type KubeClient,
  keyString,
  type ObjectKey,
  secrets,
} from '../../../framework/kube/index.ts';
import type { Check, Diagnosis, Remedy } from '../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../framework/module/module.ts';
import { type CheckResult, keyIn, readObject, reportOf } from '../../../framework/module/object-report.ts';
import { namespaceOf } from '../gardener/gardener.ts';
import { tryKubeconfig } from '../gardenercluster/kubeconfig-rotation.ts';
import { kubeconfigOf, summarize } from '../gardenercluster/kubeconfig-secret.ts';
import { reasons } from '../gardenercluster/messages.ts';
import { secretKeyOf } from '../gardenercluster/metadata.ts';
import { appliedGeneration, isPatchSuspended, runtimeIdOf } from '../runtime/metadata.ts';
import { gardenerFlags, runtimeRemedies } from './remedies.ts';
import { stateCheck } from './state-check.ts';

export interface RuntimeDiagnosisOptions extends DiagnosisQuestion {
  /** Of the management cluster. */
  readonly client: KubeClient;
  readonly gardener: KubeClient;
  /** Without `garden-`. */
  readonly project: string;
  /** Connects to the runtime cluster. */
  readonly connect: ConnectCluster;
  readonly clock: Clock;
}

/** The order of the report. */
const names = [
  'Runtime',
  'state',
  'Shoot',
  'operation',
  'GardenerCluster',
  'kubeconfig',
  'Secret',
  'runtime cluster',
];

export const diagnoseRuntime = (options: RuntimeDiagnosisOptions): Promise<Diagnosis> =>
  reportOf(options, names, follow(options));

/** Ends after the first check without which the next ones cannot be made. */
async function* follow(options: RuntimeDiagnosisOptions): AsyncGenerator<Check> {
  const { gardener, project, signal } = options;
  const key = keyIn(options);
  const runtime = yield* readObject('Runtime', options, runtimes, key);
  if (runtime === undefined) return;
  const shootKey = { namespace: namespaceOf({ project }), name: runtime.spec?.shoot.name ?? '' };
  yield { name: 'state', ...stateCheck(runtime, shootKey) };
  // The program creates both when it can; the state of the Runtime says why it cannot.
  const missing = { status: 'waiting', ...runtimeRemedies.unknown(key) } as const;
  const ofGardener = { client: gardener, signal, flags: gardenerFlags, missing };
  const shoot = yield* readObject('Shoot', ofGardener, shoots, shootKey);
  if (shoot === undefined) return;
  yield { name: 'operation', cluster: gardener.clusterName, ...operationOf(runtime, shoot) };
  const clusterKey = { namespace: key.namespace, name: runtimeIdOf(runtime) ?? '' };
  const ofManagement = { client: options.client, signal, missing };
  const cluster = yield* readObject('GardenerCluster', ofManagement, gardenerClusters, clusterKey);
  if (cluster === undefined) return;
  yield { name: 'kubeconfig', ...kubeconfigState(cluster) };
  yield* followSecret(options, cluster);
}

async function* followSecret(
  options: RuntimeDiagnosisOptions,
  cluster: GardenerCluster,
): AsyncGenerator<Check> {
  const { client, connect, signal } = options;
  const key = secretKeyOf(cluster);
  const object = `Secret ${keyString(key)}`;
  const remedy = runtimeRemedies.kubeconfig(cluster.metadata);
  let content: string | undefined;
  try {
    const secret = await client.get(secrets, key, { signal });
    const found = kubeconfigOf(summarize(secret), cluster);
    content = secret.data?.[cluster.spec.kubeconfig.secret.key];
    yield { name: 'Secret', object, ...remedy, ...expiryOf(found, client.now()) };
    if (found === undefined || content === undefined) return;
  } catch (error) {
    yield { name: 'Secret', status: 'failed', object, detail: messageOf(error), ...remedy };
    return;
  }
  const problem = await tryKubeconfig(content, { connect, clock: options.clock, signal });
  yield problem === undefined
    ? { name: 'runtime cluster', status: 'ok', detail: 'it accepts the kubeconfig' }
    : { name: 'runtime cluster', status: 'failed', detail: problem, ...remedy };
}

type Found = Pick<Check, 'status' | 'detail'>;

function operationOf(runtime: Runtime, shoot: Shoot): CheckResult {
  const { operation, failedOperation, suspended } = runtimeRemedies;
  const { lastOperation, observedGeneration = 0, lastErrors = [] } = shoot.status ?? {};
  const { generation = 0 } = runtime.metadata;
  const applied = appliedGeneration(shoot) ?? 0;
  if (!(applied >= generation)) {
    const detail = `it has generation ${applied} of the Runtime, not ${generation}`;
    return isPatchSuspended(runtime)
      ? {
          status: 'waiting',
          detail: `${detail}: patches are suspended by an annotation of the Runtime`,
          ...suspended(runtime.metadata),
        }
      : { status: 'waiting', detail, ...runtimeRemedies.unknown(runtime.metadata) };
  }
  if (lastOperation === undefined)
    return { status: 'waiting', detail: 'Gardener has not begun', ...operation(shoot.metadata) };
  const { type, state, progress, description } = lastOperation;
  const errors = lastErrors.map((error) => error.description);
  const detail = `${type} is ${state}, ${progress} %: ${[description, ...errors].join('; ')}`;
  if (state === 'Failed') return { status: 'failed', detail, ...failedOperation(shoot.metadata) };
  const isCurrent = observedGeneration >= (shoot.metadata.generation ?? 0);
  if (state === 'Succeeded' && isCurrent) return { status: 'ok', detail };
  // A Ready Runtime stays Ready during an operation that Gardener began itself.
  const status = runtime.status?.state === 'Ready' ? 'warning' : 'waiting';
  return { status, detail, ...operation(shoot.metadata) };
}

function kubeconfigState({ metadata, status }: GardenerCluster): CheckResult {
  const { state, conditions: [condition] = [] } = status ?? {};
  const detail = condition?.message ?? 'not observed yet';
  if (state === 'Ready') return { status: 'ok', detail };
  if (state !== 'Error') return { status: 'waiting', detail, ...runtimeRemedies.unknownOfCluster(metadata) };
  return { status: 'failed', detail, ...remedyOfKubeconfig(condition?.reason, metadata) };
}

function remedyOfKubeconfig(reason: string | undefined, cluster: ObjectKey): Remedy {
  switch (reason) {
    case reasons.checkFailed:
      return runtimeRemedies.foreignSecret(cluster);
    case reasons.updateFailed:
      return runtimeRemedies.kubeconfig(cluster);
    default:
      return runtimeRemedies.unknownOfCluster(cluster);
  }
}

function expiryOf(found: ReturnType<typeof kubeconfigOf>, now: number): Found {
  if (found === undefined) return { status: 'failed', detail: 'it has no kubeconfig' };
  const { expiresAt } = found;
  if (expiresAt === undefined) return { status: 'ok', detail: 'it has a kubeconfig' };
  const detail = `its kubeconfig expires at ${formatTimestamp(expiresAt)}`;
  return { status: expiresAt > now ? 'ok' : 'failed', detail };
}

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
  type Condition,
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
import { reasons as clusterReasons, tryKubeconfig } from '../gardenercluster/kubeconfig-rotation.ts';
import { kubeconfigOf, summarize } from '../gardenercluster/kubeconfig-secret.ts';
import { secretKeyOf } from '../gardenercluster/metadata.ts';
import { appliedGeneration, isPatchSuspended, runtimeIdOf } from '../metadata.ts';
import { missingLabels } from '../rendering/shoot-rendering.ts';
import { messages, updateFailed } from '../runtime/messages.ts';
import { conditionTypes, reasons } from '../runtime/status.ts';
import { gardenerFlags, runtimeRemedies } from './remedies.ts';

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
    case clusterReasons.checkFailed:
      return runtimeRemedies.foreignSecret(cluster);
    case clusterReasons.updateFailed:
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

/** The check of what a Runtime says about itself: its state, and all conditions that are not True. */

/** @param shoot of the Runtime, in Gardener */
function stateCheck({ metadata, status }: Runtime, shoot: ObjectKey): CheckResult {
  const { state, conditions = [] } = status ?? {};
  const open: readonly Condition[] = conditions.filter((condition) => condition.status !== 'True');
  const texts = open.map(
    ({ type, status: value, reason, message }) => `${type} is ${value}, ${reason}: ${message ?? ''}`,
  );
  const detail = [state ?? 'not observed yet', ...texts].join('; ');
  if (state === 'Ready' && open.length === 0) return { status: 'ok', detail };
  const isFalse = open.some(({ type, status: value }) => value === 'False' && !INFORMATIVE.has(type));
  return {
    status: state === 'Failed' || isFalse ? 'failed' : 'waiting',
    detail,
    ...remedyOf(open.find(needsChange), metadata, shoot),
  };
}

/** The Runtime has not failed because of them: its state says what that means for it. */
const INFORMATIVE: ReadonlySet<string> = new Set([
  conditionTypes.driftCorrected,
  conditionTypes.shootOperationSucceeded,
]);

/** Gardener answers 403 for invalid changes too: then the Runtime stays Pending. */
const needsChange = ({ type, status, message = '' }: Condition): boolean =>
  (status === 'False' && type !== conditionTypes.shootOperationSucceeded) ||
  message.startsWith(messages.pendingAfterForbidden);

function remedyOf(failed: Condition | undefined, runtime: ObjectKey, shoot: ObjectKey): Remedy {
  const { type, reason, message = '' } = failed ?? {};
  switch (type) {
    case conditionTypes.provisioned:
      return remedyOfProvisioning(reason, message, runtime, shoot);
    case conditionTypes.kubeconfigReady:
      return runtimeRemedies.runtimeId(runtime);
    case conditionTypes.oidcConfigured:
      return runtimeRemedies.issuers(runtime);
    case conditionTypes.configured:
      return runtimeRemedies.administrators(runtime);
    case conditionTypes.driftCorrected:
      return runtimeRemedies.spec(runtime);
    default:
      return runtimeRemedies.unknown(runtime);
  }
}

function remedyOfProvisioning(
  reason: string | undefined,
  message: string,
  runtime: ObjectKey,
  shoot: ObjectKey,
): Remedy {
  switch (reason) {
    case reasons.seedNotFound:
      return runtimeRemedies.seed(runtime);
    case reasons.shootNotOwned:
      return runtimeRemedies.shootName(runtime);
    case reasons.auditLogError:
      return runtimeRemedies.auditTenant();
    case reasons.creationError:
      return runtimeRemedies.failedOperation(shoot);
    case reasons.conversionError:
      return message.includes(missingLabels)
        ? runtimeRemedies.labels(runtime)
        : runtimeRemedies.spec(runtime);
    case reasons.processingError:
      // A refused write, or the codes of an operation that failed.
      return message.startsWith(updateFailed(''))
        ? runtimeRemedies.spec(runtime)
        : runtimeRemedies.failedOperation(shoot);
    default:
      return runtimeRemedies.spec(runtime);
  }
}

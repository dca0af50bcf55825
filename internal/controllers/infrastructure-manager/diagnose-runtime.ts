/** `doctor runtime/NAME`: from the Runtime to its Shoot, its kubeconfig and its cluster. */
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { messageOf } from '../../base/errors/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { type ConnectCluster, type KubeClient, keyString, secrets } from '../../kube/index.ts';
import type { Check, Diagnosis } from '../module/diagnosis.ts';
import type { DiagnosisQuestion } from '../module/module.ts';
import { command, keyIn, readObject, reportOf } from '../module/object-report.ts';
import { namespaceOf } from './gardener/gardener.ts';
import { kubeconfigOf, summarize } from './gardenercluster/kubeconfig-secret.ts';
import { secretKeyOf } from './gardenercluster/metadata.ts';
import { tryKubeconfig } from './gardenercluster/try-kubeconfig.ts';
import { appliedGeneration, isPatchSuspended, runtimeIdOf } from './runtime/metadata.ts';

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
  const describe = command('describe', runtimes, key);
  yield { name: 'state', ...stateOf(runtime), remediation: describe };
  const shootKey = { namespace: namespaceOf({ project }), name: runtime.spec?.shoot.name ?? '' };
  const shoot = yield* readObject('Shoot', { client: gardener, signal }, shoots, shootKey);
  if (shoot === undefined) return;
  yield { name: 'operation', cluster: gardener.clusterName, ...operationOf(runtime, shoot) };
  const clusterKey = { namespace: key.namespace, name: runtimeIdOf(runtime) ?? '' };
  const cluster = yield* readObject('GardenerCluster', options, gardenerClusters, clusterKey);
  if (cluster === undefined) return;
  yield {
    name: 'kubeconfig',
    ...kubeconfigState(cluster),
    remediation: command('describe', gardenerClusters, clusterKey),
  };
  yield* followSecret(options, cluster);
}

async function* followSecret(
  options: RuntimeDiagnosisOptions,
  cluster: GardenerCluster,
): AsyncGenerator<Check> {
  const { client, connect, signal } = options;
  const key = secretKeyOf(cluster);
  const object = `Secret ${keyString(key)}`;
  const remediation = `kubectl -n ${cluster.metadata.namespace} annotate gardenercluster ${cluster.metadata.name} operator.kyma-project.io/force-kubeconfig-rotation=true`;
  let content: string | undefined;
  try {
    const secret = await client.get(secrets, key, { signal });
    const found = kubeconfigOf(summarize(secret), cluster);
    content = secret.data?.[cluster.spec.kubeconfig.secret.key];
    yield { name: 'Secret', object, remediation, ...expiryOf(found, client.now()) };
    if (found === undefined || content === undefined) return;
  } catch (error) {
    yield { name: 'Secret', status: 'failed', object, detail: messageOf(error), remediation };
    return;
  }
  const problem = await tryKubeconfig(content, { connect, clock: options.clock, signal });
  yield problem === undefined
    ? { name: 'runtime cluster', status: 'ok', detail: 'it accepts the kubeconfig' }
    : { name: 'runtime cluster', status: 'failed', detail: problem, remediation };
}

type Found = Pick<Check, 'status' | 'detail'>;

/** What the Runtime says about itself: all conditions that are not True. */
function stateOf({ status }: Runtime): Found {
  const { state, conditions = [] } = status ?? {};
  const open = conditions.filter((condition) => condition.status !== 'True');
  const texts = open.map(
    ({ type, status: value, reason, message }) => `${type} is ${value}, ${reason}: ${message}`,
  );
  const detail = [state ?? 'not observed yet', ...texts].join('; ');
  if (state === 'Failed') return { status: 'failed', detail };
  if (state !== 'Ready') return { status: 'waiting', detail };
  return { status: open.length === 0 ? 'ok' : 'warning', detail };
}

function operationOf(runtime: Runtime, shoot: Shoot): Found {
  const { lastOperation, observedGeneration = 0, lastErrors = [] } = shoot.status ?? {};
  const { generation = 0 } = runtime.metadata;
  const applied = appliedGeneration(shoot) ?? 0;
  if (!(applied >= generation)) {
    const why = isPatchSuspended(runtime) ? ': patches are suspended by an annotation of the Runtime' : '';
    return {
      status: 'waiting',
      detail: `it has generation ${applied} of the Runtime, not ${generation}${why}`,
    };
  }
  if (lastOperation === undefined) return { status: 'waiting', detail: 'Gardener has not begun' };
  const { type, state, progress, description } = lastOperation;
  const errors = lastErrors.map((error) => error.description);
  const detail = `${type} is ${state}, ${progress} %: ${[description, ...errors].join('; ')}`;
  if (state === 'Failed') return { status: 'failed', detail };
  const isCurrent = observedGeneration >= (shoot.metadata.generation ?? 0);
  return { status: state === 'Succeeded' && isCurrent ? 'ok' : 'waiting', detail };
}

function kubeconfigState({ status }: GardenerCluster): Found {
  const { state, conditions: [condition] = [] } = status ?? {};
  const detail = condition?.message ?? 'not observed yet';
  if (state === 'Ready') return { status: 'ok', detail };
  return { status: state === 'Error' ? 'failed' : 'waiting', detail };
}

function expiryOf(found: ReturnType<typeof kubeconfigOf>, now: number): Found {
  if (found === undefined) return { status: 'failed', detail: 'it has no kubeconfig' };
  const { expiresAt } = found;
  if (expiresAt === undefined) return { status: 'ok', detail: 'it has a kubeconfig' };
  const detail = `its kubeconfig expires at ${formatTimestamp(expiresAt)}`;
  return { status: expiresAt > now ? 'ok' : 'failed', detail };
}

import { ProviderError, textAt } from '../../../../framework/base/index.ts';
import type { PartialObject } from '../../../../framework/kube/index.ts';
import type { Action, ActionContext, ComponentActions } from '../model/component.ts';
import { tenantOf } from '../model/task.ts';
import { allMetadata, collectValues } from '../objects/listed-objects.ts';
import { awaitGone, type GoingObject } from '../objects/removal/await-gone.ts';
import { deleteObject, findObject, KYMA_SYSTEM, pods, statefulSets } from './objects.ts';

const NATS = { name: 'eventing-nats', namespace: KYMA_SYSTEM };
const NATS_PODS = 'app.kubernetes.io/name=nats';
const PARALLEL = 'Parallel';
const INTERVAL_MS = 5000;
const TIMEOUT_MS = 2 * 60_000;

/** Deletes the StatefulSet of NATS if its chart now wants other pod management, since that field cannot be changed. */
export const eventing: ComponentActions = { preReconcile: (context) => replaceStatefulSet(context) };

const replaceStatefulSet: Action = async (context) => {
  if ((await wantedPolicy(context)) !== PARALLEL) return;
  const live = await findObject(context, statefulSets, NATS);
  if (live === undefined || textAt(live, 'spec', 'podManagementPolicy') === PARALLEL) return;
  context.progress('deleting the StatefulSet of NATS, whose pod management has changed');
  const going: GoingObject[] = [{ type: statefulSets, key: NATS, object: live }];
  const found = allMetadata(context, pods, { namespace: KYMA_SYSTEM, labelSelector: NATS_PODS });
  const keptOf = ({ metadata: { name, uid } }: PartialObject) => [{ name, uid }];
  for (const { name, uid } of await collectValues(found, keptOf, context.cluster)) {
    const key = { name, namespace: KYMA_SYSTEM };
    const metadata = { ...key, ...(uid === undefined ? {} : { uid }) };
    going.push({ type: pods, key, object: { apiVersion: 'v1', kind: pods.kind, metadata } });
  }
  await deleteObject(context, statefulSets, NATS);
  const options = { ...context, intervalMs: INTERVAL_MS, timeoutMs: TIMEOUT_MS };
  if (await awaitGone(going, options)) return;
  throw new ProviderError(
    'transient',
    `the StatefulSet ${NATS.name} or its pods are still there after 120 s`,
  );
};

async function wantedPolicy({
  charts,
  task,
  configuration,
  signal,
}: ActionContext): Promise<string | undefined> {
  const values = await charts.values({ ...task, configuration }, { signal, tenant: tenantOf(task) });
  return textAt(values, 'global', 'jetstream', 'podManagementPolicy');
}

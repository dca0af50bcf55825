import { type Deps, formatTimestamp, messageOf, withDeadline } from '../../../../framework/base/index.ts';

import { type ConfigMap, configMaps, type KubeClient } from '../../../../framework/kube/index.ts';
import type { ReportedStatus, Task } from '../model/task.ts';
import { LABEL_MANAGED_BY, LABEL_ORIGIN_VERSION, MANAGED_BY } from '../objects/interceptors.ts';
import { ifFound } from '../objects/known-types.ts';
import { labelValue } from '../objects/prepared-object.ts';

export interface StatusConfigMapOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly client: Pick<KubeClient, 'getMetadata' | 'mergePatch' | 'create'>;
  readonly task: Pick<Task, 'component' | 'namespace' | 'version'>;
}

const LABEL_SUMMARY = 'reconciler.kyma-project.io/reconciliation-summary';
const TIMEOUT_MS = 10_000;

/**
 * Shows the status of a component on its cluster, in the ConfigMap `<component>-status`, as far as the namespace exists. One without
 * the label of such ConfigMaps belongs to others, and stays as it is. What goes wrong is logged only.
 */
export function createStatusConfigMap({ client, task, clock, log }: StatusConfigMapOptions) {
  const { component, namespace, version } = task;
  const name = `${component.toLowerCase()}-status`;
  const write = async (status: ReportedStatus, signal: AbortSignal) => {
    const content = {
      metadata: {
        name,
        namespace,
        labels: {
          [LABEL_MANAGED_BY]: MANAGED_BY,
          [LABEL_ORIGIN_VERSION]: labelValue(version),
          [LABEL_SUMMARY]: 'true',
        },
      },
      data: {
        name: component,
        version,
        status,
        // Of the last attempt that ended.
        ...(status === 'running' ? {} : { 'last-reconciliation': formatTimestamp(clock.now()) }),
      },
    } satisfies Partial<ConfigMap>;
    const live = await find(signal);
    if (live === undefined) {
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', ...content }, { signal });
      return;
    }
    const { uid, labels = {} } = live.metadata;
    if (labels[LABEL_SUMMARY] !== 'true') {
      log.debug('the name of the status is that of a ConfigMap of others', { name, namespace });
      return;
    }
    const metadata = { ...content.metadata, ...(uid === undefined ? {} : { uid }) };
    await client.mergePatch(configMaps, { name, namespace }, { ...content, metadata }, { signal });
  };
  const find = (signal: AbortSignal) =>
    ifFound(client.getMetadata(configMaps, { name, namespace }, { signal }));
  return {
    /** Never rejects. */
    set: async (status: ReportedStatus, signal: AbortSignal): Promise<void> => {
      using deadline = withDeadline(clock, TIMEOUT_MS, 'status of the component', signal);
      try {
        await write(status, deadline.signal);
      } catch (error) {
        log.debug('cannot show the status on the cluster', { status, error: messageOf(error) });
      }
    },
  };
}

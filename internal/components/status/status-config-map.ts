import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { type ConfigMap, configMaps, isNotFound, type KubeClient } from '../../kube/index.ts';
import type { ReportedStatus } from '../model/callback.ts';
import type { Task } from '../model/task.ts';

export interface StatusConfigMapOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly client: Pick<KubeClient, 'mergePatch' | 'create'>;
  readonly task: Pick<Task, 'component' | 'namespace' | 'version'>;
}

const LABEL_PREFIX = 'reconciler.kyma-project.io/';
const TIMEOUT_MS = 10_000;

/**
 * Shows the status of a component on its cluster, in the ConfigMap `<component>-status`, as far as the namespace exists. What
 * goes wrong is logged only.
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
          [`${LABEL_PREFIX}managed-by`]: 'reconciler',
          [`${LABEL_PREFIX}origin-version`]: labelValue(version),
          [`${LABEL_PREFIX}reconciliation-summary`]: 'true',
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
    try {
      await client.mergePatch(configMaps, { name, namespace }, content, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', ...content }, { signal });
    }
  };
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

/** The version in the form of labels. */
const labelValue = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');

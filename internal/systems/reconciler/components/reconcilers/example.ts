import { ProviderError } from '../../../../framework/base/index.ts';
import { namespaces } from '../../../../framework/kube/index.ts';
import type { ComponentActions } from '../model/component.ts';
import { findObject } from './objects.ts';

/**
 * A template for a new component reconciler; no table has it. Before the chart is deployed it refuses a namespace that is
 * being deleted, and gives the chart a value. Actions that are missing have their defaults.
 */
export const example: ComponentActions = {
  preReconcile: async (context) => {
    const { task, configuration, progress } = context;
    progress(`looking at namespace ${task.namespace}`);
    const namespace = await findObject(context, namespaces, { name: task.namespace });
    if (namespace?.metadata.deletionTimestamp !== undefined) {
      // The attempt fails, and is repeated after a delay.
      throw new ProviderError('transient', `namespace ${task.namespace} is being deleted`);
    }
    configuration['global.firstInstallation'] = namespace === undefined;
  },
};

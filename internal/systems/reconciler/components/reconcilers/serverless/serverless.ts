import type { ComponentActions } from '../../model/actions.ts';
import { chooseNodePort } from './node-port.ts';
import { deleteOldObjects } from './old-objects.ts';
import { keepRegistryCredentials } from './registry-credentials.ts';

/** Keeps what the registry of functions has been given, and deletes what earlier versions have left. */
export const serverless: ComponentActions = {
  preReconcile: async (context) => {
    await keepRegistryCredentials(context);
    await chooseNodePort(context);
  },
  postReconcile: deleteOldObjects,
};

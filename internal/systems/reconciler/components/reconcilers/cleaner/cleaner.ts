import type { Action, ComponentActions } from '../../model/actions.ts';
import { customResourceKinds } from './custom-resource-kinds.ts';
import { dropCustomResourceFinalizers, dropSecretFinalizers } from './drop-finalizers.ts';
import { deleteNamespace } from './kyma-namespace.ts';
import { deleteVolumeClaims } from './volume-claims.ts';

/**
 * Cleans up when a cluster leaves Kyma, after all other components are gone or not: nothing that hangs may keep the namespace.
 * It does nothing for a reconcile task.
 */
export const cleaner: ComponentActions = {
  reconcile: async () => undefined,
  delete: (context) => clean(context),
};

const clean: Action = async (context) => {
  await deleteVolumeClaims(context);
  const kinds = await customResourceKinds(context);
  const dropFinalizers = async () => {
    await dropSecretFinalizers(context);
    await dropCustomResourceFinalizers(context, kinds);
  };
  await dropFinalizers();
  await deleteNamespace(context, dropFinalizers);
};

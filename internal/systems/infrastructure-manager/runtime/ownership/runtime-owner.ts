import {
  type Runtime,
  runtimes,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import type { Owner } from '../../../../framework/ownership/ownership.ts';
import type { RuntimeRun } from '../run.ts';

export const runtimeOwner = ({ metadata: { namespace, name, uid } }: Runtime): Owner => ({
  kind: runtimes.kind,
  namespace,
  name,
  uid,
});

/** Whether no Runtime has that uid any more. */
export async function isRuntimeGone(
  { object, context }: RuntimeRun,
  { namespace = '', name, uid }: Owner,
): Promise<boolean> {
  const { metadata } = object;
  // This one follows it under the same name.
  if (namespace === metadata.namespace && name === metadata.name) return true;
  const found = await getIfExists(context.client, runtimes, { namespace, name }, context);
  return found?.metadata.uid !== uid;
}

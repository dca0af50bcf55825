import { listOf } from '../../environment/manifests.ts';
import { tool } from '../../environment/tool.ts';

/** Applies objects as `kubectl apply --server-side` does; fields of other managers are taken over. */
export async function applyManifests(objects: readonly unknown[]): Promise<void> {
  await tool('kubectl', ['apply', '--server-side', '--force-conflicts', '--filename', '-'], {
    input: listOf(objects),
  });
}

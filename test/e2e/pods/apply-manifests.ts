import { tool } from '../../environment/tool.ts';

/** Applies objects as `kubectl apply --server-side` does; fields of other managers are taken over. */
export async function applyManifests(objects: readonly unknown[]): Promise<void> {
  await tool('kubectl', ['apply', '--server-side', '--force-conflicts', '--filename', '-'], {
    input: listOf(objects),
  });
}

/**
 * Objects as one JSON document: kubectl before 1.36 refuses several JSON documents in one file, whatever stands between
 * them.
 */
export const listOf = (items: readonly unknown[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

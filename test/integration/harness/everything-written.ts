import type { TestEnvironment } from './test-environment.ts';

export interface Written {
  readonly where: string;
  readonly content: string | Uint8Array;
}

/**
 * Everything that the provider may have left: its log, its metrics, and the current value of every key in the databases
 * of both clusters, which includes all conditions and events. Older revisions are removed by compaction.
 *
 * @param expected keys of etcd that hold secrets by intention: what users have put there themselves
 */
export async function* everythingWritten(
  { provider, planes }: TestEnvironment,
  expected: ReadonlySet<string>,
): AsyncGenerator<Written> {
  yield { where: 'log', content: provider.log() };
  yield { where: 'metrics', content: await provider.get('/metrics') };
  for (const plane of [planes.management, planes.kyma]) {
    for await (const { key, value } of plane.etcdEntries()) {
      if (!expected.has(`${plane.name}:${key}`)) yield { where: `${plane.name}:${key}`, content: value };
    }
  }
}

/** The key of a Secret in the database of a cluster. */
export const etcdKeyOfSecret = (plane: string, namespace: string, name: string): string =>
  `${plane}:/registry/secrets/${namespace}/${name}`;

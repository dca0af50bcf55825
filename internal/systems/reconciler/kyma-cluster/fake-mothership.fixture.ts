import type { Fence } from '../../../framework/base/concurrency/fence.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { publishFakeWrite } from '../../../framework/http/transport/send-request.ts';
import type {
  ClusterDocument,
  ClusterResponse,
  ClusterState,
  ClusterStatus,
  MothershipClient,
} from '../client/mothership-client.ts';

interface Entry {
  document: ClusterDocument;
  status: ClusterStatus;
  clusterVersion: number;
  configurationVersion: number;
  failures: ClusterResponse['failures'];
}

export interface FakeMothership {
  readonly client: MothershipClient;
  /** In order, without reads: `put r-1`, `delete r-1`. */
  readonly writes: string[];
  /** The clusters by their runtimeID. */
  readonly clusters: Map<string, Entry>;
  /** As if a run had this result. */
  becomes(runtimeID: string, status: ClusterStatus, failures?: ClusterResponse['failures']): void;
  /** Every call fails with it; undefined: none does. */
  failWith(error: Error | undefined): void;
  /** The next registration is stored, and fails with it. */
  loseAnswer(error: Error): void;
}

/** A mothership in memory. Nothing happens to its clusters by itself. */
export function createFakeMothership(): FakeMothership {
  const clusters = new Map<string, Entry>();
  const writes: string[] = [];
  let failure: Error | undefined;
  let lost: Error | undefined;
  const entryOf = (runtimeID: string): Entry => {
    if (failure !== undefined) throw failure;
    const entry = clusters.get(runtimeID);
    if (entry === undefined) throw new ProviderError('not-found', 'GET answered 404');
    return entry;
  };
  const responseOf = (runtimeID: string, entry: Entry): ClusterResponse => ({
    cluster: runtimeID,
    clusterVersion: entry.clusterVersion,
    configurationVersion: entry.configurationVersion,
    status: entry.status,
    statusURL: `http://mothership/v1/clusters/${runtimeID}/status`,
    failures: entry.failures,
  });
  const put = (document: ClusterDocument): ClusterResponse => {
    if (failure !== undefined) throw failure;
    const { runtimeID } = document;
    writes.push(`put ${runtimeID}`);
    const known = clusters.get(runtimeID);
    const entry: Entry = {
      document,
      status: 'reconcile_pending',
      clusterVersion: (known?.clusterVersion ?? 0) + 1,
      configurationVersion: (known?.configurationVersion ?? 10) + 1,
      failures: [],
    };
    clusters.set(runtimeID, entry);
    const error = lost;
    lost = undefined;
    if (error !== undefined) throw error;
    return responseOf(runtimeID, entry);
  };
  const client: Partial<MothershipClient> = {
    clusterStatus: async (runtimeID) => responseOf(runtimeID, entryOf(runtimeID)),
    clusterState: async (runtimeID) => stateOf(runtimeID, entryOf(runtimeID)),
    putCluster: async (document, { fence }) => {
      sent('putCluster', fence);
      return put(document);
    },
    deleteCluster: async (runtimeID, { fence }) => {
      sent('deleteCluster', fence);
      const entry = entryOf(runtimeID);
      writes.push(`delete ${runtimeID}`);
      entry.status = 'delete_pending';
      return responseOf(runtimeID, entry);
    },
    close: async () => undefined,
  };
  return {
    client: client as MothershipClient,
    writes,
    clusters,
    becomes: (runtimeID, status, failures = []) => {
      Object.assign(entryOf(runtimeID), { status, failures });
    },
    failWith: (error) => {
      failure = error;
    },
    loseAnswer: (error) => {
      lost = error;
    },
  };
}

function sent(call: string, fence: Fence | undefined): void {
  publishFakeWrite(call, { fence });
  fence?.();
}

function stateOf(
  runtimeID: string,
  { document, status, clusterVersion, configurationVersion }: Entry,
): ClusterState {
  const created = '2026-01-01T00:00:00Z';
  const { kymaConfig, metadata, runtimeInput } = document;
  return {
    cluster: {
      version: clusterVersion,
      runtimeID,
      runtime: { name: runtimeInput?.name ?? '', description: runtimeInput?.description ?? '' },
      metadata: metadata as ClusterState['cluster']['metadata'],
      contract: 1,
      created,
    },
    configuration: {
      version: configurationVersion,
      kymaVersion: kymaConfig.version,
      kymaProfile: kymaConfig.profile ?? '',
      components: kymaConfig.components as ClusterState['configuration']['components'],
      administrators: kymaConfig.administrators ?? [],
    } as ClusterState['configuration'],
    status: { status } as ClusterState['status'],
  };
}

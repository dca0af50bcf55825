import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../../../../framework/base/random.ts';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import { openConnections } from '../../../../../framework/http/transport/connections.ts';
import { performUnpackJob } from './perform-unpack-job.ts';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from './workspaces.ts';

export interface WorkspacesOfTest extends Workspaces, AsyncDisposable {
  readonly storage: string;
}

/** Workspaces in a folder of their own, which may call servers of this machine and resolve every time. */
export async function openTestWorkspaces(
  options: Partial<WorkspacesOptions> = {},
): Promise<WorkspacesOfTest> {
  const storage = options.storage ?? (await mkdtemp(join(tmpdir(), 'charts-')));
  const allowPrivateEndpoints = options.allowPrivateEndpoints ?? true;
  const connections = openConnections({
    allowPrivateEndpoints,
    trustedCertificates: [],
    env: {},
    perOrigin: 4,
    connectTimeoutMs: 2000,
    keepAliveMs: 1000,
  });
  const workspaces = createWorkspaces({
    clock: systemClock,
    random: systemRandom,
    log: nopLogger,
    storage,
    connections,
    allowPrivateEndpoints,
    unpackJobs: { unpack: performUnpackJob },
    resolveEveryMs: 0,
    ...options,
  });
  return {
    ...workspaces,
    storage,
    [Symbol.asyncDispose]: async () => {
      await connections.close();
      // What a test has given up may still be written.
      await rm(storage, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

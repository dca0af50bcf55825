import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlaneAddress } from '../../../../hack/control-planes/access/access.ts';
import type { Binaries } from '../../../../hack/control-planes/binaries/binaries.ts';
import { type Garden, startGarden } from '../../../../hack/control-planes/gardener/garden.ts';
import { messageOf } from '../../../../internal/base/errors/errors.ts';
import { installLandscape } from '../../../environment/gardener/install-landscape.ts';

/** Names the socket at which workers ask for the garden of the run. */
export const GARDEN_SOCKET = 'PROVIDER_KYMA_TEST_GARDEN';

/** What is sent to a worker that asks. */
export type GardenAnswer = { readonly address: ControlPlaneAddress } | { readonly error: string };

export interface GardenService {
  stop(): Promise<void>;
}

/**
 * Starts a garden for all test files of the run when the first one asks for it, in Jest's main process: a garden of a worker
 * would end with it, and runs without tests of Gardener need none.
 */
export async function serveGarden(options: {
  readonly binaries: Binaries;
  readonly gardenerBinary: string;
}): Promise<GardenService> {
  let starting: Promise<Garden> | undefined;
  const start = async () => {
    const garden = await startGarden({ name: 'garden', ...options });
    await installLandscape(garden);
    return garden;
  };
  const folder = await mkdtemp(join(tmpdir(), 'garden-socket-'));
  const path = join(folder, 'socket');
  const server = createServer(async (socket) => {
    starting ??= start();
    const answer = await starting.then(
      ({ name, server, directory }): GardenAnswer => ({ address: { name, server, directory } }),
      (error: unknown): GardenAnswer => ({ error: messageOf(error) }),
    );
    socket.on('error', () => undefined);
    socket.end(JSON.stringify(answer));
  });
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[GARDEN_SOCKET] = path;
  return {
    stop: async () => {
      server.close();
      await starting?.then((garden) => garden.stop()).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from '../../../../hack/control-planes/binaries/binaries.ts';
import { messageOf } from '../../../../internal/framework/base/errors/errors.ts';
import { type BtpPlane, type StartedBtpPlane, startBtpPlane } from './btp-plane.ts';

/** Names the socket at which workers ask for a control plane with the SAP BTP service operator. */
export const BTP_PLANES_SOCKET = 'PROVIDER_KYMA_TEST_BTP_PLANES';

/** The line that a worker receives. Its control plane is used by no other worker while the connection is open. */
export type BtpPlaneAnswer = { readonly plane: BtpPlane } | { readonly error: string };

/** What a worker sends last if the next test file may use the control plane. */
export const RESET = 'reset';

/**
 * Lends control planes to test files, in Jest's main process: a start and an installation cost as much CPU time as many of
 * these files. There are as many as files that use one at the same time.
 */
export async function serveBtpPlanes(binaries: Binaries): Promise<{ stop(): Promise<void> }> {
  const free: StartedBtpPlane[] = [];
  const running = new Set<StartedBtpPlane>();
  let count = 0;
  const start = async () => {
    count++;
    const plane = await startBtpPlane(`btp-${count}`, binaries);
    running.add(plane);
    return plane;
  };
  const lend = async (socket: Socket) => {
    socket.on('error', () => undefined);
    const answer = (content: BtpPlaneAnswer) => socket.write(`${JSON.stringify(content)}\n`);
    try {
      const plane = free.pop() ?? (await start());
      const { address, hasChart, kept } = plane;
      answer({ plane: { address, hasChart, kept } });
      if ((await text(socket).catch(() => '')) === RESET) {
        free.push(plane);
        return;
      }
      running.delete(plane);
      await plane.stop();
    } catch (error) {
      answer({ error: messageOf(error) });
      socket.end();
    }
  };
  const folder = await mkdtemp(join(tmpdir(), 'btp-planes-'));
  const path = join(folder, 'socket');
  const server = createServer((socket) => void lend(socket));
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[BTP_PLANES_SOCKET] = path;
  return {
    stop: async () => {
      server.close();
      await Promise.all([...running].map((plane) => plane.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import type { Deps } from '../../../../framework/base/index.ts';
import { type Runnable, startHttpServer, untilAborted } from '../../../../framework/process/index.ts';

import { startLoopbackServers } from '../../../../framework/process/server/loopback-servers.ts';
import { type ServerTlsFlags, serverTls } from '../../../../framework/process/server/server-tls.ts';
import { createAccess } from './access.ts';
import { MAX_TASK_BYTES } from './read-task.ts';
import { createTaskListener, refusedRequestPage, type TaskListenerOptions } from './task-listener.ts';

export interface TaskServerFlags extends ServerTlsFlags {
  readonly serverPort: number;
  readonly tokenFile: string;
  /** False with `--no-login`. */
  readonly login: boolean;
}

export interface TaskServerOptions extends Omit<TaskListenerOptions, 'access'>, Pick<Deps, 'clock' | 'log'> {
  readonly flags: TaskServerFlags;
}

const MAX_BODIES_BYTES = 16 * 1024 * 1024;
const MAX_CONNECTIONS = 512;

/** The server of tasks, metrics and probes. It listens on loopback addresses only, unless clients are checked, or `--no-login`. */
export function createTaskServer({ flags, clock, log, ...listener }: TaskServerOptions): Runnable {
  return {
    name: 'server of tasks',
    start: async (signal, abort) => {
      const { clientCaFile, tokenFile, login, serverPort } = flags;
      const asksForCertificate = clientCaFile !== '';
      const isOpen = asksForCertificate || tokenFile !== '' || !login;
      const options = {
        clock,
        log,
        ...(await serverTls(flags)),
        maxBodyBytes: MAX_TASK_BYTES,
        maxBodiesBytes: MAX_BODIES_BYTES,
        maxConnections: MAX_CONNECTIONS,
        flag: '--server-port',
        failurePage: (_: unknown, status: number) => refusedRequestPage(status),
        listener: createTaskListener({
          ...listener,
          log,
          access: await createAccess({ asksForCertificate, tokenFile }),
        }),
      };
      const servers = isOpen
        ? [await startHttpServer({ ...options, address: `:${serverPort}` })]
        : await startLoopbackServers(options, serverPort);
      log.info('serving', {
        addresses: servers.map(({ address }) => address),
        ...(isOpen
          ? {}
          : {
              reachable:
                'from this machine only, since nobody checks clients; see --client-ca-file, --token-file and --no-login',
            }),
      });
      await untilAborted(signal);
      await Promise.all(servers.map((server) => server.close(abort)));
    },
  };
}

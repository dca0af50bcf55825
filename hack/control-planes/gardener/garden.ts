import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { FILES } from '../access/access.ts';
import { loadAuthority } from '../access/authority.ts';
import { httpJson } from '../access/http-json.ts';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  onFreePort,
  startControlPlane,
} from '../control-plane.ts';
import { type ServerProcess, startServerProcess } from '../process/server-process.ts';
import { type Flags, renderFlags } from '../server-flags.ts';
import { SERVICE, waitUntilServed, writeApiServices } from './api-services.ts';
import { ensureGardener } from './binary.ts';

/*
 * A garden is a control plane whose API server also serves Gardener's kinds: by a real gardener-apiserver behind its
 * aggregator, with defaulting, validation and all admission plugins that Gardener has on by default. Controllers of
 * Gardener do not run: a Shoot stays as it was written until something plays scheduler and gardenlet.
 */

export interface GardenOptions extends ControlPlaneOptions {
  /** Path of the gardener-apiserver. Default: the one that ensureGardener finds or builds. */
  readonly gardenerBinary?: string;
}

export interface Garden extends ControlPlane {
  /** Ends the gardener-apiserver as a crash does; with SIGTERM in order. Kubernetes' own kinds stay served. */
  stopGardener(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port and data, and waits until its kinds are served. */
  startGardener(): Promise<void>;
  /** The gardener-apiserver accepts connections and does not respond, until the returned function is called. */
  freezeGardener(): Promise<() => void>;
}

const NAME = 'gardener-apiserver';

/** Beside the files of the control plane, which are those of `FILES`. */
const OWN = { certificate: `${NAME}.crt`, key: `${NAME}.key` } as const;

const gardenerFlags = (port: number): Flags => ({
  'etcd-servers': `unix://${FILES.etcdSocket}`,
  'bind-address': '127.0.0.1',
  // Otherwise it takes the address of the default route, and does not start where there is none.
  'advertise-address': '127.0.0.1',
  'secure-port': String(port),
  'tls-cert-file': OWN.certificate,
  'tls-private-key-file': OWN.key,
  'cluster-identity': 'garden-of-tests',
  'authorization-always-allow-paths': '/healthz',
  'authentication-kubeconfig': FILES.controllersKubeconfig,
  'authorization-kubeconfig': FILES.controllersKubeconfig,
  kubeconfig: FILES.controllersKubeconfig,
  'log-level': 'error',
});

/** Starts a garden and waits until Gardener's kinds are served. It has no objects of Gardener yet. */
export async function startGarden(options: GardenOptions): Promise<Garden> {
  const { clock = systemClock, report, signal } = options;
  const command = options.gardenerBinary ?? (await ensureGardener({ clock, ...(report && { report }) }));
  const plane = await startControlPlane(options);
  try {
    const { directory } = plane;
    const ca = await writeServerCertificate(directory);
    let gardener: ServerProcess | undefined;
    const serve = async (port: number) => {
      const isHealthy = async () =>
        (await httpJson({ url: `https://127.0.0.1:${port}/healthz`, ca })).status === 200;
      const args = renderFlags(gardenerFlags(port));
      gardener = await startServerProcess({
        name: NAME,
        command,
        args,
        directory,
        clock,
        isReady: isHealthy,
        signal,
      });
    };
    const port = await onFreePort(serve);
    await writeApiServices(plane, { port, ca });
    await waitUntilServed(plane, clock);
    return {
      ...plane,
      logs: [...plane.logs, join(directory, `${NAME}.log`)],
      stopGardener: async (how) => gardener?.stop(how),
      startGardener: async () => {
        await serve(port);
        await waitUntilServed(plane, clock);
      },
      freezeGardener: async () => (await gardener?.freeze()) ?? (() => undefined),
      stop: async () => {
        await gardener?.stop();
        await plane.stop();
      },
    };
  } catch (error) {
    // Its watchdog ends the gardener-apiserver too.
    await plane.stop();
    throw error;
  }
}

/** Issues the certificate that the aggregator expects, by the authority of the control plane, and returns that. */
async function writeServerCertificate(directory: string): Promise<string> {
  const read = (file: string) => readFile(join(directory, file), 'utf8');
  const authority = await loadAuthority({
    certificate: await read(FILES.authority),
    key: await read(FILES.authorityKey),
  });
  const { certificate, key } = await authority.issueServer([
    `${SERVICE.name}.${SERVICE.namespace}.svc`,
    'localhost',
    '127.0.0.1',
  ]);
  const write = (file: string, text: string) => writeFile(join(directory, file), text, { mode: 0o600 });
  await Promise.all([write(OWN.certificate, certificate), write(OWN.key, key)]);
  return authority.certificate;
}

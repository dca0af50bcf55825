/**
 * Crossplane's core with composition functions as processes beside a control plane without nodes. It differs from an installation
 * in one thing: no pod runs, so FunctionRevisions are paused and name the processes.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import type { ControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../../hack/control-planes/process/watchdog.ts';
import { ensureCrossplane } from '../../../../hack/crossplane/crossplane.ts';
import { ensureFunction } from '../../../../hack/crossplane/functions.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import { installCrds } from '../../../environment/install-crds.ts';
import { namespaceManifest } from '../../../environment/manifests.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { coreAccount } from './core-rights.ts';
import {
  applyPackageManager,
  functionRevision,
  functionRevisions,
  usageWebhook,
  validatingWebhooks,
} from './crossplane-objects.ts';
import { filesOf, type ImageFiles, imageFiles } from './image-files.ts';
import { writeTlsFolder } from './tls-folder.ts';

const CROSSPLANE_NAMESPACE = 'crossplane-system';
/**
 * Events for one composite resource before core looks at it every 30 s only; default 100. With simulated systems all of its resources
 * change within seconds.
 */
const WATCH_EVENTS = '--circuit-breaker-burst=10000';

export interface CrossplanePrograms {
  /** Folder of the Helm chart. */
  readonly chart: string;
  readonly core: ImageFiles;
  /** By name. */
  readonly functions: Readonly<Record<string, ImageFiles>>;
}

/**
 * Finds or provides the programs. The functions come first, one after the other: where one of them cannot be had, the others and
 * Crossplane are not built, which takes minutes.
 *
 * @param functions references of packages
 * @throws with the way out
 */
export async function crossplanePrograms(functions: readonly string[]): Promise<CrossplanePrograms> {
  const named: Record<string, ImageFiles> = {};
  for (const reference of functions) {
    const [, name = reference] = /([^/:]+):[^:/]+$/.exec(reference) ?? [];
    named[name] = await filesOf(await ensureFunction(reference), reference);
  }
  const { image, chart } = await ensureCrossplane();
  return { chart, core: await imageFiles(image), functions: named };
}

export interface CrossplaneProcess {
  stop(): Promise<void>;
}

export interface CrossplaneOptions {
  /** Of composite resources and of packages, `plural.group`: what Crossplane's RBAC manager would grant to core. */
  readonly kinds: readonly string[];
  /** Providers are installed and not started: the caller does that. Default: none is installed. */
  readonly installsProviders?: boolean;
}

/** Installs Crossplane's kinds and its webhook for usages, and starts core and the functions. */
export async function startCrossplane(
  plane: ControlPlane,
  programs: CrossplanePrograms,
  { kinds, installsProviders = false }: CrossplaneOptions,
): Promise<CrossplaneProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-crossplane-'));
  const endWatchdog = startWatchdog(directory);
  const servers: ServerProcess[] = [];
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await endWatchdog();
  };
  const start = async (name: string, program: Uint8Array, options: ProcessOptions) => {
    const command = join(directory, `${name}-program`);
    await writeFile(command, program, { mode: 0o755 });
    const { args, env = {}, port } = options;
    const run = { name, command, directory, clock: systemClock, isReady: () => accepts(port) };
    servers.push(await startServerProcess({ ...run, args, env: { HOME: directory, ...env } }));
  };
  try {
    const authority = await createAuthority('crossplane');
    const tls = {
      server: await writeTlsFolder(
        join(directory, 'server'),
        authority,
        await authority.issueServer(['127.0.0.1']),
      ),
      client: await writeTlsFolder(
        join(directory, 'client'),
        authority,
        await authority.issueClient('crossplane'),
      ),
    };
    const objects = objectsOf(plane);
    await objects.apply(namespaces, namespaceManifest(CROSSPLANE_NAMESPACE));
    await installCrds(plane, crdsIn(programs.core));
    for (const [name, { program }] of Object.entries(programs.functions)) {
      const port = await freePort();
      const address = `127.0.0.1:${port}`;
      await start(name, program, {
        ...{ args: [`--address=${address}`], env: { TLS_SERVER_CERTS_DIR: tls.server }, port },
      });
      await objects.apply(functionRevisions, functionRevision(name));
      const status = { capabilities: ['composition'], endpoint: address };
      await objects.applyStatus(functionRevisions, { ...functionRevision(name), status });
    }
    const [webhookPort, metricsPort, healthPort] = [await freePort(), await freePort(), await freePort()];
    const kubeconfigPath = join(directory, 'kubeconfig');
    const account = { chart: programs.chart, namespace: CROSSPLANE_NAMESPACE, kinds };
    await writeFile(kubeconfigPath, await coreAccount(plane, account), { mode: 0o600 });
    await start('crossplane', programs.core.program, {
      args: [
        'core',
        'start',
        '--debug',
        WATCH_EVENTS,
        ...(installsProviders ? ['--package-runtime=External'] : []),
      ],
      env: {
        KUBECONFIG: kubeconfigPath,
        POD_NAMESPACE: CROSSPLANE_NAMESPACE,
        XPKG_CACHE_DIR: directory,
        TLS_SERVER_CERTS_DIR: tls.server,
        TLS_CLIENT_CERTS_DIR: tls.client,
        WEBHOOK_PORT: String(webhookPort),
        METRICS_PORT: String(metricsPort),
        HEALTH_PROBE_PORT: String(healthPort),
      },
      port: webhookPort,
    });
    if (installsProviders) await applyPackageManager(objects);
    await objects.apply(validatingWebhooks, usageWebhook(webhookPort, authority.certificate));
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface ProcessOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** On 127.0.0.1; the process is ready when it accepts connections there. */
  readonly port: number;
}

const crdsIn = ({ files }: ImageFiles): unknown[] =>
  [...files]
    .filter(([name]) => /^crds\/.*\.yaml$/.test(name))
    .flatMap(([, bytes]) => parseAllDocuments(Buffer.from(bytes).toString()))
    .map((document) => document.toJS())
    .filter((object) => object !== null);

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

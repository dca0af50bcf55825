import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { accessControlPlane, type ControlPlaneAccess } from '../control-planes/access/access.ts';
import { type Binaries, ensureBinaries } from '../control-planes/binaries/binaries.ts';
import { freePort } from '../control-planes/process/free-port.ts';
import { startWatchdog } from '../control-planes/process/watchdog.ts';
import { cgroupFolders, makeCgroups } from './cgroups.ts';
import { PAUSE_IMAGE } from './inside/container-runtime.ts';
import { ensurePrograms, type Programs } from './programs/ensure-programs.ts';
import { imagesOf, type NodeImages } from './registry/node-images.ts';
import { programImage } from './registry/program-image.ts';
import { requireMachine } from './requirements.ts';
import { type NodeCommand, type NodeMessage, type NodeServer, type NodeSettings, PARTS } from './settings.ts';

/*
 * A node is a real Kubernetes node without Docker: a control plane with all controllers, and the scheduler, kubelet,
 * kube-proxy, containerd and a DNS server beside it, so that pods run. All of it is in network, mount, process, IPC and
 * UTS namespaces of its own, which end with the process that started it, however that ends. The network has no way out:
 * images come from the node's own registry, and one port of 127.0.0.1 leads to the API server.
 *
 * It needs root, Linux, and runc, CNI plugins and iptables of the distribution (requirements.ts).
 */

export interface NodeOptions {
  /** Names the cluster in its kubeconfig and its directory: `node`. */
  readonly name: string;
  /** Default: those that ensurePrograms finds or makes. */
  readonly programs?: Programs;
  /** Default: those that ensureBinaries finds or makes. */
  readonly binaries?: Binaries;
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  /** Gives the start up and leaves nothing behind. */
  readonly signal?: AbortSignal;
}

export interface KubernetesNode extends ControlPlaneAccess {
  /** What pods and the kubelet can pull. */
  readonly images: NodeImages;
  /** A kubectl of the node's version. */
  readonly kubectl: string;
  /** The server accepts connections and does not respond, until the returned function is called. */
  freeze(server: NodeServer): Promise<() => Promise<void>>;
  /** Pods do not reach the API server, until the returned function is called. */
  isolatePods(): Promise<() => Promise<void>>;
  /** Ends all processes and removes everything they stored. */
  stop(): Promise<void>;
}

/** Starts a node and waits until it is Ready. */
export async function startNode(options: NodeOptions): Promise<KubernetesNode> {
  const { name, report = () => undefined, signal } = options;
  const machine = await requireMachine();
  const controlPlane = options.binaries ?? (await ensureBinaries({ report }));
  const programs = options.programs ?? (await ensurePrograms({ report }));
  const directory = await mkdtemp(join(await realpath(tmpdir()), `kyma-${name}-`));
  const cgroup = `/${basename(directory)}`;
  const endWatchdog = startWatchdog(directory, await cgroupFolders(cgroup));
  const door = await openDoor(join(directory, PARTS.door));
  let child: ChildProcess | undefined;
  const stop = async () => {
    door.server.close();
    child?.stdin?.end();
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.ref();
      await once(child, 'exit');
    }
    await endWatchdog();
  };
  try {
    await makeCgroups(cgroup);
    const folder = join(directory, PARTS.images);
    await mkdir(folder);
    const images = imagesOf(folder);
    const pause = await programImage({ path: '/pause', file: programs.pause });
    await images.publish(PAUSE_IMAGE, [pause]);
    const settings: NodeSettings = {
      name,
      directory,
      port: door.port,
      cgroup,
      programs,
      controlPlane,
      ...machine,
    };
    const file = join(directory, PARTS.settings);
    await writeFile(file, JSON.stringify(settings), { mode: 0o600 });
    signal?.throwIfAborted();
    child = spawnInside(file, directory);
    const conversation = converse(child, report);
    const giveUp = () => child?.kill('SIGKILL');
    signal?.addEventListener('abort', giveUp);
    const { controlPlane: place } = await conversation.ready;
    signal?.removeEventListener('abort', giveUp);
    child.unref();
    return {
      ...(await accessControlPlane({ name, server: `https://127.0.0.1:${door.port}`, directory: place })),
      images,
      kubectl: programs.kubectl,
      freeze: async (server) => {
        await conversation.command({ freeze: server });
        return () => conversation.command({ resume: server });
      },
      isolatePods: async () => {
        await conversation.command({ isolatePods: true });
        return () => conversation.command({ isolatePods: false });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A shell is the first process: it reaps those that others leave, and all end with it. */
function spawnInside(settings: string, directory: string): ChildProcess {
  const namespaces = [
    '--mount',
    '--net',
    '--pid',
    '--ipc',
    '--uts',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ];
  const main = join(import.meta.dirname, 'inside/main.ts');
  const script = '"$0" "$@"; exit $?';
  const child = spawn('unshare', [...namespaces, 'sh', '-c', script, process.execPath, main, settings], {
    cwd: directory,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // It may be gone when it is told to end.
  child.stdin?.on('error', () => undefined);
  return child;
}

/** The messages of the process inside, and its commands. */
function converse(child: ChildProcess, report: (line: string) => void) {
  const ready = Promise.withResolvers<{ readonly controlPlane: string }>();
  const commands = new Map<number, PromiseWithResolvers<void>>();
  let failed: string | undefined;
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('cannot start a node: its process has no pipes');
  createInterface(stdout).on('line', (line) => {
    const message = JSON.parse(line) as NodeMessage;
    if ('report' in message) report(message.report);
    if ('ready' in message) ready.resolve(message.ready);
    if ('failed' in message) failed = message.failed;
    if ('done' in message) {
      const pending = commands.get(message.done);
      if (message.error === undefined) pending?.resolve();
      else pending?.reject(new Error(message.error));
    }
  });
  const end = (how: string) => {
    const error = new Error(`cannot start a node: ${failed ?? how}`);
    ready.reject(error);
    for (const pending of commands.values()) pending.reject(error);
  };
  child.once('error', ({ message }) => end(message));
  child.once('close', (code, signal) => end(`it ended with ${code ?? signal}`));
  // Only its first reader is told of a failure.
  ready.promise.catch(() => undefined);
  return {
    ready: ready.promise,
    command: async (command: Omit<NodeCommand, 'number'>): Promise<void> => {
      const number = commands.size;
      const pending = Promise.withResolvers<void>();
      commands.set(number, pending);
      stdin.write(`${JSON.stringify({ number, ...command } satisfies NodeCommand)}\n`);
      await pending.promise;
    },
  };
}

/** A port of 127.0.0.1 whose connections go to a socket that the process inside serves. */
async function openDoor(path: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((outside) => {
    const inside = connect(path);
    outside.pipe(inside).pipe(outside);
    outside.once('error', () => inside.destroy());
    inside.once('error', () => outside.destroy());
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return { server, port };
}

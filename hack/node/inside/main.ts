/**
 * The first process of a node's namespaces after their shell, started by ../node.ts: brings up control plane and node,
 * and ends when its standard input does. What it writes to its standard output are messages for ../node.ts.
 */
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { FILES } from '../../control-planes/access/access.ts';
import { httpJson } from '../../control-planes/access/http-json.ts';
import { type ControlPlane, startControlPlane } from '../../control-planes/control-plane.ts';
import { type ServerProcess, startServerProcess } from '../../control-planes/process/server-process.ts';
import { registryServer } from '../registry/serve-images.ts';
import {
  NODE_NAME,
  type NodeCommand,
  type NodeMessage,
  type NodeServer,
  type NodeSettings,
  PARTS,
  REGISTRY,
} from '../settings.ts';
import { containerdSetup } from './container-runtime.ts';
import {
  coreDnsSetup,
  kubeletSetup,
  kubeProxySetup,
  prepareControlPlane,
  SERVER_NAMES,
  schedulerArgs,
} from './kubernetes.ts';
import { prepareMounts } from './mounts.ts';
import { isolatePods, prepareNetwork } from './network.ts';

const say = (message: NodeMessage) => console.log(JSON.stringify(message));
const report = (line: string) => say({ report: line });
const clock = systemClock;
const servers = new Map<NodeServer, ServerProcess>();
const thaws = new Map<NodeServer, () => void>();

async function run(settings: NodeSettings): Promise<void> {
  const { directory, port, programs } = settings;
  await prepareMounts(directory);
  await prepareNetwork();
  // The shell's kill of the namespaces is the end of all; a control plane's own folder is within this one.
  process.env.TMPDIR = join(directory, PARTS.controlPlane);
  await mkdir(process.env.TMPDIR);
  await listen(registryServer(join(directory, PARTS.images)), REGISTRY);

  const plane = await startControlPlane({
    name: settings.name,
    binaries: settings.controlPlane,
    report,
    clock,
    port,
    serverNames: SERVER_NAMES,
    prepare: (authority) => prepareControlPlane(settings, authority),
  });
  await openDoor(join(directory, PARTS.door), port);

  const start = (name: string, command: string, args: readonly string[], more: ServerOptions) =>
    startServerProcess({ name, command, args, directory: plane.directory, clock, ...more });
  const healthy = (url: string, ca?: string) => async () =>
    (await httpJson({ url, ...(ca === undefined ? {} : { ca }) })).status === 200;

  const containerd = await containerdSetup(settings);
  servers.set(
    'containerd',
    await start('containerd', programs.containerd, containerd.args, {
      env: { ...process.env, ...containerd.env },
      isReady: () => accepts(containerd.socket),
    }),
  );
  const authority = join(plane.directory, FILES.authority);
  const ca = await readFile(authority, 'utf8');
  const kubelet = await kubeletSetup(settings, { socket: containerd.socket, authority });
  const proxyArgs = await kubeProxySetup(settings);
  const dnsArgs = await coreDnsSetup(settings);
  const [started] = await Promise.all([
    start('kubelet', programs.kubelet, kubelet, { isReady: healthy('http://127.0.0.1:10248/healthz') }),
    start('kube-proxy', programs['kube-proxy'], proxyArgs, {
      isReady: healthy('http://127.0.0.1:10256/healthz'),
    }),
    start('kube-scheduler', programs['kube-scheduler'], schedulerArgs(directory), {
      isReady: healthy('https://127.0.0.1:10259/healthz', ca),
    }),
    start('coredns', programs.coredns, dnsArgs, { isReady: healthy('http://127.0.0.1:8181/ready') }),
  ]);
  servers.set('kubelet', started);
  await untilNodeReady(plane);
  say({ ready: { controlPlane: plane.directory } });

  for await (const line of createInterface(process.stdin)) {
    const command: NodeCommand = JSON.parse(line);
    try {
      await obey(command, settings, plane);
      say({ done: command.number });
    } catch (error) {
      say({ done: command.number, error: messageOf(error) });
    }
  }
}

type ServerOptions = Pick<Parameters<typeof startServerProcess>[0], 'isReady' | 'env'>;

async function obey(
  { freeze, resume, isolatePods: isolated }: NodeCommand,
  { port }: NodeSettings,
  plane: ControlPlane,
): Promise<void> {
  if (isolated !== undefined) await isolatePods(port, isolated);
  if (freeze !== undefined) {
    const thaw = await (freeze === 'kube-apiserver' ? plane.freeze(freeze) : servers.get(freeze)?.freeze());
    if (thaw !== undefined) thaws.set(freeze, thaw);
  }
  if (resume !== undefined) thaws.get(resume)?.();
}

async function listen(server: ReturnType<typeof registryServer>, address: string): Promise<void> {
  const [host = '', port = ''] = address.split(':');
  server.listen(Number(port), host);
  await once(server, 'listening');
}

/** Connections of the socket go to the API server: a file is the one thing that both sides of the namespace share. */
async function openDoor(path: string, port: number): Promise<void> {
  const door = createServer((outside) => {
    const inside = connect(port, '127.0.0.1');
    outside.pipe(inside).pipe(outside);
    outside.once('error', () => inside.destroy());
    inside.once('error', () => outside.destroy());
  });
  door.listen(path);
  await once(door, 'listening');
}

async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

async function untilNodeReady(plane: ControlPlane): Promise<void> {
  const deadline = clock.monotonic() + 120_000;
  for (;;) {
    const { body } = await plane.request(`/api/v1/nodes/${NODE_NAME}`);
    const { conditions = [] } = (body as { status?: NodeStatus }).status ?? {};
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready?.status === 'True') return;
    if (clock.monotonic() > deadline)
      throw new Error(`the node is not Ready: ${ready?.message ?? 'it is not there'}`);
    await new Promise((resolve) => clock.after(100, () => resolve(undefined)));
  }
}

interface NodeStatus {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly message?: string;
  }[];
}

try {
  const [, , file = ''] = process.argv;
  await run(JSON.parse(await readFile(file, 'utf8')));
  process.exit(0);
} catch (error) {
  say({ failed: messageOf(error) });
  process.exit(1);
}

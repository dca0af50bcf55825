import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { freePort } from '../control-planes/process/free-port.ts';
import { startServerProcess } from '../control-planes/process/server-process.ts';

/** The Crossplane CLI, and what it renders with. */
export interface Tools {
  /** Runs the CLI and returns what it prints. */
  render(args: readonly string[]): Promise<string>;
  /** The functions, running, as the CLI expects them. */
  start(functions: readonly KubeObject[]): Promise<RunningFunctions>;
}

export interface RunningFunctions {
  readonly manifests: readonly KubeObject[];
  stop(): Promise<void>;
}

/** `crossplane` of PATH, which gets Crossplane and functions as images. */
export const toolsByDocker = (): Tools => ({
  render: (args) => run('crossplane', ['composition', 'render', ...args]),
  start: async (manifests) => ({ manifests, stop: async () => undefined }),
});

/**
 * A folder with `crossplane` (the CLI), `crossplane-core` and each function by its name; the network namespace must be
 * our own.
 */
export async function toolsInFolder(folder: string): Promise<Tools> {
  const program = (name: string) => join(resolve(folder), name);
  for (const name of ['crossplane', 'crossplane-core']) await access(program(name), constants.X_OK);
  return {
    render: (args) =>
      run(program('crossplane'), [
        'composition',
        'render',
        ...args,
        `--crossplane-binary=${program('crossplane-core')}`,
      ]),
    start: async (functions) => {
      const directory = await mkdtemp(join(tmpdir(), 'kyma-functions-'));
      const started = await Promise.all(
        functions.map(async (manifest) => {
          const port = await freePort();
          const { name } = manifest.metadata;
          const server = await startServerProcess({
            name,
            command: program(name),
            args: ['--insecure', `--address=127.0.0.1:${port}`],
            directory,
            clock: systemClock,
            isReady: () => accepts(port),
          });
          return { server, manifest: byDevelopment(manifest, port) };
        }),
      );
      return {
        manifests: started.map(({ manifest }) => manifest),
        stop: async () => {
          await Promise.all(started.map(({ server }) => server.stop()));
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  };
}

const byDevelopment = (manifest: KubeObject, port: number): KubeObject => ({
  ...manifest,
  metadata: {
    ...manifest.metadata,
    annotations: {
      'render.crossplane.io/runtime': 'Development',
      'render.crossplane.io/runtime-development-target': `127.0.0.1:${port}`,
    },
  },
});

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`cannot render: ${command} ended with ${code}: ${err.trim()}`);
  return out;
}

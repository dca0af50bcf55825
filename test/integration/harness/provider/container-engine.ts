/** Runs container images with the engine of this machine, podman or Docker, in the host's network. */
import { execFileSync } from 'node:child_process';
import { tool } from '../../../environment/tool.ts';
import { uniqueName } from '../control-planes/control-planes.ts';
import type { ContainerOptions } from './container.ts';

export interface ContainerEngine {
  /** Loads the only image of a Docker archive. */
  load(archive: string): Promise<string>;
  /** Builds an image; returns its name. `args`: of the build. */
  build(options: {
    readonly dockerfile: string;
    readonly context: string;
    readonly args: Readonly<Record<string, string>>;
  }): Promise<string>;
  /** The configuration of an image, as `inspect` prints it. */
  configOf(image: string): Promise<Readonly<Record<string, unknown>>>;
  /** Starts a container as a pod with a restricted security context is started. */
  start(image: string, options: EngineOptions): Promise<EngineContainer>;
  /** Removes the containers and the images that were made. */
  clean(): Promise<void>;
}

export interface EngineOptions extends ContainerOptions {
  /** The memory limit; no swap is added. */
  readonly memoryBytes: number;
}

export interface EngineContainer {
  /** What it wrote so far, to both streams. */
  output(): Promise<string>;
  signal(name: NodeJS.Signals): Promise<void>;
  /** Runs a command in it, as `kubectl exec` does; returns its standard output. @throws if it fails */
  exec(...command: readonly string[]): Promise<string>;
  /** Waits for its end. */
  exit(): Promise<{ readonly code: number; readonly killedForMemory: boolean }>;
}

/** An engine's command line with what comes before each command; or why there is none. */
export function findContainerEngine(): readonly [string, ...string[]] | { readonly missing: string } {
  const podman = [['podman', '--runtime', 'runc'], ['podman']] as const;
  const docker = [['docker']] as const;
  // Without root podman sets memory limits on some machines only.
  const isRoot = process.getuid?.() === 0;
  for (const engine of isRoot ? [...podman, ...docker] : [...docker, ...podman]) {
    const [file, ...args] = engine;
    try {
      execFileSync(file, [...args, 'info'], { stdio: 'pipe', timeout: 30_000 });
      return engine;
    } catch {
      // Not installed, or without its service.
    }
  }
  return { missing: 'neither podman nor Docker runs here' };
}

export function containerEngine([file, ...before]: readonly [string, ...string[]]): ContainerEngine {
  const engine = (...args: readonly string[]) => tool(file, [...before, ...args]);
  const images: string[] = [];
  const containers: string[] = [];
  // Podman would mount writable folders for temporary files, Kubernetes does not.
  const readOnly = ['--read-only', ...(file === 'podman' ? ['--read-only-tmpfs=false'] : [])];
  return {
    load: async (archive) => {
      const [id] = /sha256:[0-9a-f]{64}/.exec(await engine('load', '--input', archive)) ?? [];
      if (id === undefined) throw new Error(`${file} names no image of ${archive}`);
      const name = `localhost/${uniqueName('image')}`;
      await engine('tag', id, name);
      images.push(name);
      return name;
    },
    build: async ({ dockerfile, context, args }) => {
      const name = `localhost/${uniqueName('image')}`;
      const given = Object.entries(args).flatMap(([arg, value]) => ['--build-arg', `${arg}=${value}`]);
      await engine('build', '--file', dockerfile, '--tag', name, ...given, context);
      images.push(name);
      return name;
    },
    configOf: async (image) => JSON.parse(await engine('inspect', '--format', '{{json .Config}}', image)),
    start: async (image, { name, user, env, mounts, memoryBytes, args = [], command }) => {
      const container = uniqueName(name);
      const [entrypoint, ...rest] = command ?? [];
      await engine(
        'run',
        '--detach',
        '--name',
        container,
        '--network=host',
        ...readOnly,
        `--user=${user}`,
        '--cap-drop=ALL',
        '--security-opt=no-new-privileges',
        `--memory=${memoryBytes}`,
        `--memory-swap=${memoryBytes}`,
        // Engines raise these limits by default, which they may not do everywhere.
        '--ulimit=nofile=20000:20000',
        '--ulimit=nproc=1024:1024',
        ...Object.entries(env).map(([variable, value]) => `--env=${variable}=${value}`),
        ...mounts.map(({ from, to }) => `--volume=${from}:${to}:ro`),
        ...(entrypoint === undefined ? [] : [`--entrypoint=${entrypoint}`]),
        image,
        ...rest,
        ...args,
      );
      containers.push(container);
      return {
        output: async () =>
          execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', file, ...before, 'logs', container], {
            encoding: 'utf8',
          }),
        signal: async (signal) => {
          await engine('kill', `--signal=${signal}`, container);
        },
        exec: (...words) => engine('exec', container, ...words),
        exit: async () => {
          const code = Number((await engine('wait', container)).trim());
          const state = await engine('inspect', '--format', '{{.State.OOMKilled}}', container);
          return { code, killedForMemory: state.trim() === 'true' };
        },
      };
    },
    clean: async () => {
      if (containers.length > 0) await engine('rm', '--force', ...containers);
      if (images.length > 0) await engine('rmi', '--force', ...images.toReversed());
    },
  };
}

import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ControlPlane } from '../../../hack/control-planes/control-plane.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../hack/control-planes/process/watchdog.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

/** A provider as an author runs it: on the packed library, in a process of its own. */
export interface ExampleProcess {
  readonly author: AuthorFolder;
  readonly server: ServerProcess;
  /** Everything it logged. */
  log(): string;
  stop(): Promise<void>;
}

export interface ExampleOptions {
  /** Message of the log line by which it is ready. */
  readonly ready: string;
  /**
   * Added to what every example gets.
   *
   * @param directory for files of the test; removed at the end
   */
  readonly env: (directory: string) => Promise<Readonly<Record<string, string>>>;
  /** The control plane; default the management cluster that all test files share. */
  readonly plane?: Pick<ControlPlane, 'kubeconfig'>;
  /** Arguments of Node, made of the author's folder and that of the example. Default: `main.ts`, as it is. */
  readonly program?: (author: AuthorFolder, folder: string) => Promise<readonly string[]>;
}

/** @param name of a folder in `examples` */
export async function startExample(name: string, options: ExampleOptions): Promise<ExampleProcess> {
  const { program = async (_, folder) => [join(folder, 'main.ts')], ...more } = options;
  const author = await createAuthorFolder();
  const folder = await author.copy(`examples/${name}`);
  return startProgram(author, { ...more, args: await program(author, folder) });
}

/** @param options.args of Node */
export async function startProgram(
  author: AuthorFolder,
  { ready, env, args, plane }: Omit<ExampleOptions, 'program'> & { readonly args: readonly string[] },
): Promise<ExampleProcess> {
  const { kubeconfig: access } = plane ?? (await controlPlanes()).management;
  const directory = await mkdtemp(join(tmpdir(), 'provider-'));
  const endWatchdog = startWatchdog(directory);
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, access, { mode: 0o600 });
  const log = () => readFileSync(join(directory, 'provider.log'), 'utf8');
  const server = await startServerProcess({
    name: 'provider',
    command: process.execPath,
    args,
    env: {
      PATH: process.env.PATH,
      KUBECONFIG: kubeconfig,
      METRICS_BIND_ADDRESS: '127.0.0.1:0',
      HEALTH_PROBE_BIND_ADDRESS: '127.0.0.1:0',
      ...(await env(directory)),
    },
    directory,
    clock: systemClock,
    isReady: async () => log().includes(`"${ready}"`),
  });
  return {
    author,
    server,
    log,
    stop: async () => {
      await endWatchdog();
      await author.remove();
    },
  };
}

/** A manifest in the folder of an example. */
export async function exampleManifest(name: string, file: string) {
  return parse(await readFile(new URL(`../../../examples/${name}/${file}`, import.meta.url), 'utf8'));
}

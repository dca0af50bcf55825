import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { type Clock, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { fillFolder } from './fill-folder.ts';

/**
 * A program, or several that belong together, and where it comes from. The first of these that has all of it:
 *
 * 1. what a variable names; 2. what is installed; 3. a cache outside the repository, by version; 4. the official download, checked
 * against the published checksums, into the cache; 5. a build from Go modules, for machines that reach a module proxy only, into the
 * cache.
 *
 * @typeParam T what its user gets, such as paths
 */
export interface Program<T> {
  /** With its version, for messages: `helm 4.3.1`. */
  readonly title: string;
  /** The variable with the path of the user's own. */
  readonly variable: string;
  /** What the variable must name, for errors: `an executable file`. */
  readonly own: string;
  /** The program at the path of the variable; undefined: not all of it. Default: `inFolder`. */
  readonly atPath?: (path: string) => Promise<T | undefined>;
  /** Whether the variable may name a folder that lacks it, since others use it too. Default: that is an error. */
  readonly isOwnOptional?: true;
  readonly installed?: (env: NodeJS.ProcessEnv) => Promise<T | undefined>;
  /** Folders of the cache: of such programs, and of this one with its version and `MACHINE`, so that an upgrade never uses an old one. */
  readonly cache: readonly [group: string, name: string];
  /** The program in a folder; undefined: not all of it. */
  readonly inFolder: (folder: string) => Promise<T | undefined>;
  /** Undefined: there is none. */
  readonly download?: (folder: string, report: (line: string) => void) => Promise<void>;
  /** Builds what the folder lacks. */
  readonly build: (folder: string, report: (line: string) => void) => Promise<void>;
}

export interface EnsureOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work; never called when the program exists. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
}

/** Finds a program, or provides it. Several processes may call it concurrently. @throws with what was tried, and the way out */
export async function ensureProgram<T>(program: Program<T>, options: EnsureOptions = {}): Promise<T> {
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  const present = await findProgram(program, env, report);
  if (present !== undefined) return present;
  const { inFolder } = program;
  const [group] = program.cache;
  const directory = cacheFolder(program, env);
  await fillFolder({
    cache: resolve(cacheRoot(env), group),
    directory,
    isComplete: async () => (await inFolder(directory)) !== undefined,
    fill: async (partial) => {
      const startedAt = clock.monotonic();
      await fill(program, partial, report);
      report(`${program.title} is ready after ${Math.round((clock.monotonic() - startedAt) / 1000)} s`);
    },
    clock,
    report,
  });
  return complete(program, directory);
}

/** A program, if it needs neither a download nor a build. @throws if a variable names what is not complete */
export async function findProgram<T>(
  program: Program<T>,
  env: NodeJS.ProcessEnv = process.env,
  report: (line: string) => void = () => undefined,
): Promise<T | undefined> {
  const { variable, own, inFolder, atPath = inFolder } = program;
  const given = env[variable];
  if (given) {
    // Programs run in folders of their own, where a relative path means something else.
    const path = resolve(given);
    const found = await atPath(path);
    if (found !== undefined) return found;
    if (!program.isOwnOptional) throw new Error(`cannot use ${variable}: ${path} is not ${own}`);
    report(`${variable} is not used for ${program.title}: ${path} is not ${own}`);
  }
  return (await program.installed?.(env)) ?? inFolder(cacheFolder(program, env));
}

const cacheFolder = ({ cache }: Program<unknown>, env: NodeJS.ProcessEnv): string =>
  resolve(cacheRoot(env), ...cache);

/** What programs are built for. */
export const MACHINE = `${process.platform}-${process.arch}`;

/**
 * The folder of files that are shared by all checkouts: `$PROVIDER_KYMA_CACHE`, else below `$XDG_CACHE_HOME` or
 * `~/.cache`.
 */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
  return env.PROVIDER_KYMA_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'provider-kyma');
}

/** Downloads what can be downloaded and builds the rest. */
async function fill<T>(program: Program<T>, folder: string, report: (line: string) => void): Promise<void> {
  const { title, download, build } = program;
  const tried: string[] = [];
  try {
    await download?.(folder, report);
  } catch (error) {
    tried.push(`download: ${messageOf(error)}`);
    report(`no download of ${title}: ${messageOf(error)}`);
  }
  if (tried.length > 0 || (await program.inFolder(folder)) === undefined) {
    report(`building ${title} from Go modules; a first build takes some minutes`);
    try {
      await build(folder, report);
    } catch (cause) {
      const causes = [...tried, `build: ${messageOf(cause)}`].join('; ');
      throw new Error(`cannot provide ${title}: ${causes}; set ${program.variable} to ${program.own}`, {
        cause,
      });
    }
  }
  await complete(program, folder);
}

async function complete<T>({ inFolder, title }: Program<T>, folder: string): Promise<T> {
  const found = await inFolder(folder);
  if (found === undefined) throw new Error(`cannot provide ${title}: no file came of it`);
  return found;
}

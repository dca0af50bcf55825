import { readFile } from 'node:fs/promises';
import {
  createDeps,
  findCause,
  InvalidConfigurationError,
  messageOf,
  ProviderError,
  sleep,
  systemClock,
} from '../../../../framework/base/index.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { type CommandOutput, reporting } from '../../../../framework/module/console/reporting-command.ts';
import { createMothershipClient, type MothershipClient } from '../../client/mothership-client.ts';
import { type ConnectionFlags, TOKEN } from './connection-flags.ts';
import { type Columns, type ListFormat, printedList } from './output.ts';

/** Exit codes of `clusters`, `reconciliations` and `operations`. */
export const reconcilerExitCodes = {
  done: 0,
  /** The mothership refused the request, or was not reached. */
  failed: 1,
  /** The command line is not valid. */
  usage: 2,
  /** There is no such cluster, reconciliation or operation. */
  notFound: 3,
} as const;

export interface CommandRun {
  readonly client: MothershipClient;
  readonly output: CommandOutput;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Interval of `--watch`, in ms. */
const WATCH_MS = 2000;

/** Runs a command with a client, and sets the exit code. SIGINT ends it with what it has printed. */
export async function runCommand(
  name: string,
  { flags, host }: { readonly flags: ConnectionFlags; readonly host: ProcessLike },
  work: (run: CommandRun) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) host.on(signal, stop);
  const { failed } = reconcilerExitCodes;
  host.exitCode = await reporting({ name, host, failed }, async (output) => {
    try {
      const client = await openMothership(flags, host);
      try {
        await work({ client, output, signal: stopping.signal });
      } finally {
        await client.close();
      }
    } catch (error) {
      if (!stopping.signal.aborted) {
        output.info(messageOf(error));
        return exitCodeOf(error);
      }
    }
    return reconcilerExitCodes.done;
  });
  for (const signal of signals) host.removeListener(signal, stop);
}

function exitCodeOf(error: unknown): number {
  if (findCause(error, InvalidConfigurationError) !== undefined) return reconcilerExitCodes.usage;
  return findCause(error, ProviderError)?.kind === 'not-found'
    ? reconcilerExitCodes.notFound
    : reconcilerExitCodes.failed;
}

export interface ListView<T> {
  readonly format: ListFormat;
  /** Whether changes are printed until the command is stopped. */
  readonly watch: boolean;
  read(signal: AbortSignal): Promise<readonly T[]>;
  /** The same for the same object in each list. */
  keyOf(item: T): string;
  columnsAt(nowMs: number): Columns<T>;
}

/** Prints a list; with `watch`, then each entry that is new or has changed. */
export async function printList<T>(view: ListView<T>, { output, signal }: CommandRun): Promise<void> {
  const known = new Map<string, string>();
  for (let isFirst = true; ; isFirst = false) {
    const items = await view.read(signal);
    const changed = items.filter((item) => known.get(view.keyOf(item)) !== JSON.stringify(item));
    for (const item of changed) known.set(view.keyOf(item), JSON.stringify(item));
    if (isFirst || changed.length > 0) {
      output.print(printedList(view.format, changed, view.columnsAt(Date.now()), isFirst));
    }
    if (!view.watch) return;
    await sleep(systemClock, WATCH_MS, signal);
  }
}

/** @throws InvalidConfigurationError */
async function openMothership(
  { mothershipUrl, tokenFile, caFile }: ConnectionFlags,
  { env }: Pick<ProcessLike, 'env'>,
): Promise<MothershipClient> {
  const url = URL.parse(mothershipUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidConfigurationError('cannot use --mothership-url: want a URL with http or https');
  }
  const own = env[TOKEN]?.trim() || undefined;
  return createMothershipClient({
    ...createDeps(),
    env,
    url: mothershipUrl,
    // The file is read each time: what is in it is renewed while a command watches.
    token: async () => (tokenFile === undefined ? own : (await textOf(tokenFile, '--token-file')).trim()),
    trustedCertificates: caFile === undefined ? [] : [await textOf(caFile, '--ca-file')],
    allowPrivateEndpoints: true,
  });
}

const textOf = (path: string, flag: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${messageOf(error)}`);
  });

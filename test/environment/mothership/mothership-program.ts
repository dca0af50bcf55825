import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import {
  fieldsOf,
  type LazyLogFields,
  type LogFields,
  type Logger,
} from '../../../internal/framework/base/telemetry/telemetry.ts';
import { defaultsOf, joinGroups } from '../../../internal/framework/process/flag.ts';
import {
  type MothershipFlags,
  mothershipGroups,
} from '../../../internal/systems/reconciler/mothership/config/start-flags.ts';
import { runMothership } from '../../../internal/systems/reconciler/mothership/program/run-mothership.ts';
import { type CheckedClient, createCheckedClient } from './checked-client.ts';

/** A whole mothership in this process, as `mothership start` runs it. */
export interface MothershipProgram extends CheckedClient {
  /** `scheme://host:port`. */
  readonly url: string;
  /** Lines of its log. */
  readonly logged: readonly LogLine[];
  readonly folder: string;
  /** Stops it as SIGTERM does, and waits for its end. */
  stop(): Promise<void>;
}

export interface LogLine extends LogFields {
  readonly level: string;
  readonly message: string;
}

export interface MothershipProgramOptions {
  readonly flags?: Partial<MothershipFlags>;
  readonly env?: Readonly<Record<string, string>>;
  /** URL of the component reconciler for all components. */
  readonly reconciler?: string;
  /** Undefined: an embedded database. */
  readonly databaseUrl?: string | undefined;
  /** Appended to the part `scheduler` of the configuration. */
  readonly scheduler?: string;
  readonly scheme?: 'http' | 'https';
  /** The folder with the page for operators; default: it has none, since sources have no built page. */
  readonly pageFolder?: string;
}

export async function startMothershipProgram(
  options: MothershipProgramOptions = {},
): Promise<MothershipProgram> {
  const {
    flags = {},
    env = {},
    reconciler = 'http://127.0.0.1:1/v1/run',
    databaseUrl,
    scheme = 'http',
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'mothership-'));
  const port = flags.serverPort ?? (await freePort());
  const url = `${scheme}://127.0.0.1:${port}`;
  const config = join(folder, 'reconciler.yaml');
  await writeFile(
    config,
    `db: {encryption: {keyFile: encryption.key}}
mothership:
  scheme: ${scheme}
  host: 127.0.0.1
  port: ${port}
  scheduler:
    reconcilers: {base: {url: '${reconciler}'}}
${options.scheduler ?? ''}`,
  );
  const logged: LogLine[] = [];
  const stopping = new AbortController();
  const running = runMothership(
    {
      flags: {
        ...defaultsOf(joinGroups(mothershipGroups)),
        login: true,
        config,
        serverPort: port,
        migrateDatabase: true,
        createEncryptionKey: true,
        allowPrivateEndpoints: true,
        ...(databaseUrl === undefined ? { dataDir: join(folder, 'data') } : { databaseUrl }),
        ...flags,
      },
      env,
      ...(options.pageFolder === undefined ? {} : { pageFolder: options.pageFolder }),
      log: recordingLogger(logged, {}),
    },
    stopping.signal,
  );
  const ended = running.then(
    () => undefined,
    (error: unknown) => error,
  );
  const stop = async () => {
    stopping.abort();
    const error = await ended;
    await rm(folder, { recursive: true, force: true });
    if (error !== undefined) throw error;
  };
  const isServing = () => logged.some(({ message }) => message === 'serving');
  for (let failed: unknown; !isServing(); ) {
    failed = await Promise.race([ended, new Promise((done) => setTimeout(done, 20))]);
    if (failed !== undefined) {
      await stop().catch(() => undefined);
      throw failed;
    }
  }
  const client = await createCheckedClient(url);
  return { url, logged, folder, stop, call: client.call };
}

function recordingLogger(lines: LogLine[], bound: LogFields): Logger {
  const at = (level: string) => (message: string, fields?: LazyLogFields) => {
    lines.push({ ...bound, ...fieldsOf(fields), level, message });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    error: at('error'),
    child: (fields) => recordingLogger(lines, { ...bound, ...fieldsOf(fields) }),
  };
}

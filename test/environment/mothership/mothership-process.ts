/** A mothership, or some parts of it, as a process of its own. Its argument is a `ProcessInput` as JSON. */
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { urlServers } from '../../../internal/systems/reconciler/mothership/config/database-settings.ts';
import { createMothership } from '../../../internal/systems/reconciler/mothership/create-mothership.ts';
import { openPostgres } from '../../../internal/systems/reconciler/mothership/database/postgres.ts';
import type { Settings } from '../../../internal/systems/reconciler/mothership/model/settings.ts';
import { countEvents, type KillPoint } from './kill-point.ts';
import { startCallbackServer, testKeyring, testSettings } from './test-mothership.ts';

export interface ProcessInput {
  readonly databaseUrl: string;
  /** Names of runnables; undefined: all. */
  readonly parts?: readonly string[];
  readonly settings: Partial<Settings>;
  /** Serves callbacks on this port; undefined: another process does. */
  readonly callbackPort?: number;
  readonly killAt?: KillPoint;
}

const input = JSON.parse(process.argv[2] ?? '') as ProcessInput;
const deps = createDeps();
const database = openPostgres({
  ...deps,
  ...urlServers(input.databaseUrl),
  // 55 of them share a server with 300 connections.
  maxConnections: 3,
});
const mothership = createMothership({
  ...deps,
  database,
  keyring: testKeyring,
  settings: testSettings({ processName: `process ${process.pid}`, ...input.settings }),
});
if (input.callbackPort !== undefined) {
  const callbacks = await startCallbackServer(input.callbackPort);
  callbacks.serve(mothership);
}
const counted = countEvents(input.killAt);
const stopping = new AbortController();
// The test ends it by closing its input, or with SIGKILL.
process.stdin.on('end', () => stopping.abort()).resume();
const running = mothership.runnables.filter(({ name }) => input.parts?.includes(name) ?? true);
await database.ping();
process.stdout.write('started\n');
await Promise.all(running.map((runnable) => runnable.start(stopping.signal, stopping.signal)));
await database.close();
process.stdout.write(`${JSON.stringify(counted)}\n`, () => process.exit());

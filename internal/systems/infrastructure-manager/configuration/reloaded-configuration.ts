import { stat } from 'node:fs/promises';
import { followed } from '../../../framework/base/configuration/followed.ts';
import type { Deps } from '../../../framework/base/index.ts';
import { type Configuration, type ConfigurationSource, loadConfiguration } from './configuration.ts';

/** The configuration, which follows its files. */
export interface ReloadedConfiguration {
  current(): Configuration;
  /** Grows with each change. */
  revision(): number;
  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Follows the files until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** Files of ConfigMaps have no events: they are checked this often, in ms. */
const CHECK_MS = 5000;

export interface ReloadOptions extends Pick<Deps, 'clock' | 'log' | 'metrics'> {
  /** Default: `loadConfiguration`. */
  readonly load?: typeof loadConfiguration;
}

/** Attempts to read files none of which is replaced meanwhile. */
const ATTEMPTS = 3;

/**
 * Loads the configuration. Files that have a mistake later change nothing: the log names it, and a metric is 1 until it is corrected.
 *
 * @throws ConfigurationError if they have one now
 */
export async function reloadedConfiguration(
  source: ConfigurationSource,
  { clock, log, metrics, load = loadConfiguration }: ReloadOptions,
): Promise<ReloadedConfiguration> {
  const invalid = metrics.gauge({
    name: 'infrastructure_manager_im_configuration_invalid',
    help: '1 while a changed configuration file has a mistake, and the configuration before is in use.',
  });
  invalid.set(0);
  const listeners = new Set<() => void>();
  /** What was read, with the versions of the files before that: a file that is replaced meanwhile differs at the next check. */
  const read = async (before: string) => {
    for (let versions = before, attempt = 1; ; attempt++) {
      const configuration = await load(source);
      // It may name other files.
      const after = await versionsOf(source, configuration);
      if (after !== versions && attempt < ATTEMPTS) {
        versions = after;
        continue;
      }
      for (const warning of configuration.warnings)
        log.info('a member of a configuration file has a successor', { warning });
      return { configuration, versions };
    }
  };
  const start = await read('');
  let { versions } = start;
  let revision = 0;
  const files = followed({
    ...{ clock, first: start.configuration, intervalMs: CHECK_MS },
    read: async (current) => {
      const found = await versionsOf(source, current);
      if (found === versions) return current;
      // Files with a mistake are read again at each check: the one that has it may be named by the new configuration only.
      const next = await read(found);
      versions = next.versions;
      return next.configuration;
    },
    onChanged: () => {
      revision++;
      invalid.set(0);
      log.info('the configuration was reloaded', { revision });
      for (const listener of listeners) listener();
    },
    onFailed: (error) => {
      invalid.set(1);
      log.error('a configuration file has a mistake: the configuration before stays in use', { error });
    },
  });
  return {
    current: () => files.current,
    revision: () => revision,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow: files.follow,
  };
}

/** Differs when a file was replaced or written. */
async function versionsOf({ path }: ConfigurationSource, { converter }: Configuration): Promise<string> {
  const { auditLogging, maintenanceWindow } = converter;
  const paths = [path, auditLogging.tenantConfigPath, maintenanceWindow.windowMapPath];
  const versions = paths
    .filter((each) => each !== '')
    .map((each) =>
      stat(each).then(
        ({ ino, size, mtimeMs, ctimeMs }) => [ino, size, mtimeMs, ctimeMs],
        () => 'missing',
      ),
    );
  return JSON.stringify(await Promise.all(versions));
}

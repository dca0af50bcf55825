import type { ConfigurationNode } from '../../base/configuration/configuration-node.ts';
import { readConfigurationFile } from '../../base/configuration/read-configuration-file.ts';
import { type DatabaseSettings, databaseSettings } from './database-settings.ts';
import { type MothershipSection, mothershipSection } from './mothership-file.ts';
import type { MothershipFlags } from './start-flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type DatabaseFlags = Pick<MothershipFlags, 'config' | 'databaseUrl' | 'dataDir'>;

export interface MothershipSettings extends MothershipSection {
  readonly database: DatabaseSettings;
}

/** Any YAML; names in any case, as Go's viper reads them. */
const SYNTAX = { schema: 'core', ignoresCase: true } as const;

/** Reads the configuration file. @throws InvalidConfigurationError for the first mistake, with file, line and column */
export async function loadSettings(flags: DatabaseFlags, env: Environment): Promise<MothershipSettings> {
  const root = await readConfigurationFile(flags.config, SYNTAX);
  const database = await databaseOf(root, flags, env);
  return { database, ...mothershipSection(root) };
}

/** The database alone, for commands that need no scheduler. A missing file is no error if a flag names the database. */
export async function loadDatabaseSettings(
  flags: DatabaseFlags,
  env: Environment,
): Promise<DatabaseSettings> {
  return databaseOf(await readConfigurationFile(flags.config, SYNTAX), flags, env);
}

const databaseOf = (root: ConfigurationNode, flags: DatabaseFlags, env: Environment) =>
  databaseSettings({ flags, env, section: root.member('db'), file: flags.config });

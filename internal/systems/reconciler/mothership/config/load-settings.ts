import {
  type ConfigurationNode,
  emptyConfiguration,
  explainedBy,
  readAll,
  readConfigurationFile,
} from '../../../../framework/base/configuration/configuration.ts';
import { InvalidConfigurationError } from '../../../../framework/base/index.ts';

import { type DatabaseSettings, databaseSettings } from './database-settings.ts';
import { type MothershipSection, mothershipSection } from './mothership-file.ts';
import type { MothershipFlags } from './start-flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type DatabaseFlags = Pick<MothershipFlags, 'config' | 'databaseUrl' | 'dataDir'>;

export interface MothershipSettings extends MothershipSection {
  readonly database: DatabaseSettings;
}

/** Names in any case, as Go's viper reads them. */
const SYNTAX = { ignoresCase: true } as const;

const PAGE = 'docs/mothership/configuration.md';

/** Reads the configuration file. @throws InvalidConfigurationError with all mistakes: file, line and column */
export async function loadSettings(flags: DatabaseFlags, env: Environment): Promise<MothershipSettings> {
  return explainedBy(PAGE, async () => {
    const root = await readConfigurationFile(flags.config, SYNTAX);
    const [database, section] = await readAll([databaseOf(root, flags, env), sectionOf(root)]);
    return { database, ...section };
  });
}

/**
 * The database alone, for commands on its data, which choose none by themselves: flags, environment or file must name it. A missing
 * file is no error if a flag names the database.
 *
 * @throws InvalidConfigurationError
 */
export async function loadDatabaseSettings(
  flags: DatabaseFlags,
  env: Environment,
): Promise<DatabaseSettings> {
  const isNamed = flags.databaseUrl !== '' || flags.dataDir !== '';
  const root = await readConfigurationFile(flags.config, SYNTAX).catch((error: unknown) => {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    if (isNamed && cause?.code === 'ENOENT') return emptyConfiguration(flags.config);
    throw error;
  });
  const settings = await explainedBy(PAGE, () => databaseOf(root, flags, env));
  if (settings.kind !== 'embedded' || !settings.isDefault) return settings;
  throw new InvalidConfigurationError(
    `cannot choose a database: name it by --data-dir, --database-url, or db.postgres in ${flags.config}; that of mothership start without them is --data-dir=${settings.folder}`,
  );
}

const sectionOf = async (root: ConfigurationNode) => mothershipSection(root);

const databaseOf = (root: ConfigurationNode, flags: DatabaseFlags, env: Environment) =>
  databaseSettings({ flags, env, section: root.member('db'), file: flags.config });

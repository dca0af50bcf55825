import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The folder with `postgres` and `initdb`, for tests where they are not on the PATH. */
const FOLDER_VARIABLE = 'POSTGRES_BIN';
/** Where Debian and its derivatives install them. */
const DEBIAN = '/usr/lib/postgresql';

export interface PostgresPrograms {
  readonly postgres: string;
  readonly initdb: string;
}

/** Why tests run on the embedded database instead. */
export const NO_POSTGRES = `There is no Postgres on the PATH nor in ${FOLDER_VARIABLE}: these tests run on the embedded database, \
those with several processes not at all. Install postgresql 15 or later (apt-get install postgresql, brew install postgresql).`;

/** The programs of Postgres: from the variable, the PATH, or where Debian has them; undefined if there are none. */
export async function findPostgres(env = process.env): Promise<PostgresPrograms | undefined> {
  const given = env[FOLDER_VARIABLE];
  const versions = await readdir(DEBIAN).catch(() => []);
  const folders =
    given === undefined
      ? [
          ...(env.PATH ?? '').split(delimiter),
          ...versions
            .sort()
            .reverse()
            .map((v) => join(DEBIAN, v, 'bin')),
        ]
      : [given];
  for (const folder of folders) {
    const programs = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
    const found = await Promise.all(
      Object.values(programs).map((path) =>
        access(path).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (found.every(Boolean)) return programs;
  }
  return undefined;
}

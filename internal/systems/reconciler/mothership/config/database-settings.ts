import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import {
  type ConfigurationNode,
  readAll,
  readFields,
} from '../../../../framework/base/configuration/configuration.ts';
import {
  InvalidConfigurationError,
  messageOf,
  ownMember,
  parseDuration,
} from '../../../../framework/base/index.ts';

import type { PostgresOptions } from '../database/postgres.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the database is, and the file with its encryption keys. */
export type DatabaseSettings = EmbeddedSettings | PostgresSettings;

export interface EmbeddedSettings {
  readonly kind: 'embedded';
  readonly folder: string;
  readonly keyFile: string;
  /** Whether neither flags nor environment nor file name a database, so that it is the one in the data folder of the user. */
  readonly isDefault: boolean;
}

export interface PostgresSettings
  extends Pick<
    PostgresOptions,
    'connection' | 'standbys' | 'maxConnections' | 'maxIdleMs' | 'maxLifetimeMs'
  > {
  readonly kind: 'postgres';
  readonly keyFile: string;
}

export interface DatabaseSources {
  /** `--database-url` and `--data-dir`, which have precedence; empty: not given. */
  readonly flags: { readonly databaseUrl: string; readonly dataDir: string };
  readonly env: Environment;
  /** The part `db` of the configuration file. */
  readonly section: ConfigurationNode;
  /** The configuration file, to which paths in it are relative. */
  readonly file: string;
}

const MAX_CONNECTIONS = 10_000;

/** Flags before environment before file. Without a database: an embedded one in the data folder of the user. */
export async function databaseSettings(sources: DatabaseSources): Promise<DatabaseSettings> {
  const { flags, env, section, file } = sources;
  refuseSqlite(section.member('driver'));
  if (flags.databaseUrl !== '' && flags.dataDir !== '') {
    throw new InvalidConfigurationError(
      'cannot use --database-url and --data-dir together: give one of them',
    );
  }
  const ownKeyFile = env.RECONCILER_ENCRYPTION_KEYFILE || keyFileIn(section, file);
  const read = createReader(env, section);
  const usesPostgres = flags.databaseUrl !== '' || read.hasDatabase || section.member('driver').text() !== '';
  if (flags.dataDir !== '' || !usesPostgres) {
    const folder = flags.dataDir || dataFolder(env);
    return {
      kind: 'embedded',
      folder,
      keyFile: ownKeyFile || join(folder, 'encryption.key'),
      isDefault: flags.dataDir === '',
    };
  }
  const readPool = async () =>
    readFields({
      keyFile: () => ownKeyFile || failWithoutKey(section),
      maxConnections: () => read.integer('maxOpenConns', 'MAX_OPEN_CONNS', 1, MAX_CONNECTIONS) ?? 100,
      maxIdleMs: () => read.duration('connMaxIdleTime', 'CONN_MAX_IDLE_TIME') ?? 600_000,
      maxLifetimeMs: () => read.duration('connMaxLifetime', 'CONN_MAX_LIFETIME') ?? 600_000,
    });
  const readServers = () => (flags.databaseUrl === '' ? partsOf(read) : partsOfUrl(flags.databaseUrl));
  const [servers, pool] = await readAll([readServers(), readPool()]);
  return { kind: 'postgres', ...servers, ...pool };
}

const failWithoutKey = (section: ConfigurationNode): never =>
  section
    .member('encryption')
    .member('keyFile')
    .fail(
      'it is missing: the file with the key that kubeconfigs are encrypted with; --create-encryption-key makes one',
    );

function refuseSqlite(driver: ConfigurationNode): void {
  const name = driver.text().toLowerCase();
  if (name === 'sqlite') {
    driver.fail(
      'SQLite is not supported; leave out db.driver, or use --data-dir DIR for an embedded database',
    );
  }
  if (name !== '' && name !== 'postgres') driver.fail('want postgres');
}

function keyFileIn(section: ConfigurationNode, file: string): string {
  const path = section.member('encryption').member('keyFile').text();
  return path === '' || isAbsolute(path) ? path : join(dirname(file), path);
}

/** As the XDG base directory specification has it. */
const dataFolder = (env: Environment): string =>
  join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share'), 'provider-kyma', 'mothership');

/** The servers of a database, of which one accepts writes. */
type Servers = Pick<PostgresSettings, 'connection' | 'standbys'>;

/** A URL may name several servers, as for libpq: `postgres://user@host1:5432,host2:5432/database`. */
export const urlServers = (url: string): Servers =>
  serversOf(splitUrl(url).map((connectionString) => ({ connectionString })));

function splitUrl(url: string): readonly string[] {
  const scheme = /^postgres(?:ql)?:[/][/]/.exec(url)?.[0] ?? '';
  const rest = url.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const user = authority.slice(0, authority.lastIndexOf('@') + 1);
  const hosts = authority.slice(user.length).split(',');
  const urls = hosts.map((host) => `${scheme}${user}${host}${rest.slice(authority.length)}`);
  // A special character of the password has ended the host: what follows would be taken for a path.
  const isCut = !authority.includes('@') && /^[^=]*@/.test(rest);
  // The URL may have a password: it is not quoted.
  if (scheme === '' || isCut || !urls.every((one) => URL.canParse(one))) {
    throw new InvalidConfigurationError(
      'cannot use --database-url: want postgres://user:password@host:port/database, with percent-encoded special characters in user and password, such as %23 for #',
    );
  }
  return urls;
}

/** Parameters of a URL that are read here, so that they mean what the same settings of the file mean; others are the driver's. */
const PARAMETERS = {
  sslMode: 'sslmode',
  sslRootCert: 'sslrootcert',
  sslCert: 'sslcert',
  sslKey: 'sslkey',
  options: 'options',
} as const;

async function partsOfUrl(url: string): Promise<Servers> {
  const [first = '', ...others] = splitUrl(url);
  const { searchParams } = new URL(first);
  const parameter = (name: string) => searchParams.get(ownMember(PARAMETERS, name) ?? '') ?? '';
  const fail = (name: string, _variable: string, problem: string): never => {
    throw new InvalidConfigurationError(
      `cannot use --database-url: ${ownMember(PARAMETERS, name) ?? name}: ${problem}`,
    );
  };
  const text = (name: string) => parameter(name) || (name === 'sslMode' ? modeWithout(parameter) : '');
  const pem = (name: string) =>
    parameter(name) === '' ? undefined : certificateIn(parameter(name), { fail }, name);
  const [ssl, cert, key] = await Promise.all([sslOf({ text, fail }), pem('sslCert'), pem('sslKey')]);
  const options = parameter('options');
  return serversOf(
    [first, ...others].map((each) => ({
      connectionString: withoutParameters(each),
      ssl: typeof ssl === 'object' && cert !== undefined ? { ...ssl, cert, ...(key && { key }) } : ssl,
      ...(options === '' ? {} : { options }),
    })),
  );
}

/** A URL with certificates and without a mode means TLS. */
const modeWithout = (parameter: (name: string) => string): string =>
  parameter('sslRootCert') + parameter('sslCert') === '' ? 'disable' : 'verify-full';

function withoutParameters(url: string): string {
  const parsed = new URL(url);
  if (parsed.search === '') return url;
  for (const name of Object.values(PARAMETERS)) parsed.searchParams.delete(name);
  return parsed.href;
}

function serversOf([connection, ...standbys]: readonly PostgresSettings['connection'][]): Servers {
  if (connection === undefined) throw new TypeError('a database has a server');
  return standbys.length === 0 ? { connection } : { connection, standbys };
}

/** Settings of Postgres by their names in the file and, after `RECONCILER_DATABASE_`, in the environment. */
interface Reader {
  /** Whether host or name of a database are given. */
  readonly hasDatabase: boolean;
  text(name: string, variable: string): string;
  required(name: string, variable: string): string;
  integer(name: string, variable: string, min: number, max: number): number | undefined;
  duration(name: string, variable: string): number | undefined;
  fail(name: string, variable: string, problem: string): never;
}

function createReader(env: Environment, section: ConfigurationNode): Reader {
  const postgres = section.member('postgres');
  const own = (variable: string) => env[`RECONCILER_DATABASE_${variable}`] || undefined;
  const fail = (name: string, variable: string, problem: string): never => {
    if (own(variable) === undefined) postgres.member(name).fail(problem);
    throw new InvalidConfigurationError(`cannot use RECONCILER_DATABASE_${variable}: ${problem}`);
  };
  const text = (name: string, variable: string) => own(variable) ?? postgres.member(name).scalarText();
  return {
    text,
    fail,
    hasDatabase: ['host', 'database'].some((name) => text(name, VARIABLES[name] ?? '') !== ''),
    required: (name, variable) =>
      text(name, variable) || fail(name, variable, `it is missing, as is RECONCILER_DATABASE_${variable}`),
    integer: (name, variable, min, max) => {
      const value = text(name, variable);
      if (value === '') return undefined;
      if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max) {
        fail(name, variable, `want a whole number, ${min} to ${max}`);
      }
      return Number(value);
    },
    duration: (name, variable) => {
      const value = text(name, variable);
      if (value === '') return undefined;
      const ms = parseDuration(value) ?? Number.NaN;
      return ms > 0 ? ms : fail(name, variable, 'want a duration such as 90s or 10m');
    },
  };
}

const VARIABLES: Readonly<Record<string, string>> = { host: 'HOST', database: 'NAME' };

async function partsOf(read: Reader): Promise<Servers> {
  const readParts = async () =>
    readFields({
      hosts: () => read.required('host', 'HOST').split(','),
      port: () => read.integer('port', 'PORT', 1, 65_535) ?? 5432,
      database: () => read.required('database', 'NAME'),
      user: () => read.required('user', 'USER'),
      password: () => read.text('password', 'PASSWORD'),
    });
  const [{ hosts, password, ...parts }, ssl] = await readAll([readParts(), sslOf(read)]);
  const common = { ...parts, ...(password === '' ? {} : { password }), ssl };
  return serversOf(hosts.map((host) => ({ host: host.trim(), ...common })));
}

/** The modes of Go's driver. As in libpq, `require` verifies the server only if a root certificate is given. */
async function sslOf(read: Pick<Reader, 'text' | 'fail'>): Promise<PostgresSettings['connection']['ssl']> {
  const mode = read.text('sslMode', 'SSL_MODE') || 'require';
  const path = read.text('sslRootCert', 'SSLROOTCERT');
  const ca = path === '' ? undefined : await certificateIn(path, read);
  const trusted = ca === undefined ? {} : { ca };
  switch (mode) {
    case 'disable':
      return false;
    case 'require':
      return ca === undefined
        ? { rejectUnauthorized: false }
        : { ...trusted, checkServerIdentity: () => undefined };
    case 'verify-ca':
      return { ...trusted, checkServerIdentity: () => undefined };
    case 'verify-full':
      return trusted;
    default:
      return read.fail('sslMode', 'SSL_MODE', 'want disable, require, verify-ca or verify-full');
  }
}

const certificateIn = (path: string, { fail }: Pick<Reader, 'fail'>, name = 'sslRootCert'): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) =>
    fail(name, name.toUpperCase(), `cannot read it: ${messageOf(error)}`),
  );

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ConfigurationError } from '../../../../framework/base/configuration/configuration.ts';
import { InvalidConfigurationError } from '../../../../framework/base/errors/errors.ts';
import { temporaryFolder } from '../../../../framework/base/temporary-folder.fixture.ts';
import { loadSettings } from './load-settings.ts';
import { parseDeleteStrategy } from './mothership-file.ts';

const folder = temporaryFolder('mothership-config-');

const mothership = `
mothership:
  scheme: http
  host: reconciler.example.org
  port: 8080
  scheduler:
    reconcilers:
      base: {url: 'http://base.example.org/v1/run'}
`;

const postgres = `
db:
  driver: postgres
  encryption:
    keyFile: keys/encryption.key
  blockQueries: true
  logQueries: false
  postgres:
    host: db.example.org
    database: reconciler
    port: 5433
    user: kyma
    password: 12345
    sslMode: disable
    migrationsDir: /nowhere
    maxOpenConns: 20
    connMaxIdleTime: 90s
`;

async function load(
  text: string,
  {
    env = {},
    flags = {},
  }: { env?: Record<string, string>; flags?: { databaseUrl?: string; dataDir?: string } } = {},
) {
  const config = join(folder, 'reconciler.yaml');
  await writeFile(config, text);
  return loadSettings({ config, databaseUrl: '', dataDir: '', ...flags }, env);
}

const failure = async (...args: Parameters<typeof load>): Promise<string> => {
  const error: unknown = await load(...args).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(InvalidConfigurationError);
  return (error as Error).message.replaceAll(folder, '');
};

describe('the file', () => {
  test('has the settings of the Go program, with names in any case', async () => {
    const settings = await load(
      `${postgres}
MotherShip:
  Scheme: HTTPS
  host: '::1'
  port: '443'
  scheduler:
    DELETESTRATEGY: All
    reconcilers:
      Base: {URL: 'http://base/v1/run'}
      ISTIO: {url: 'https://istio/v1/run', maxParallel: 7}
    preComponents: [[cluster-essentials], [istio, certificates], single]
    componentCRDs:
      Istio: {group: operator.kyma-project.io, version: v1alpha1, kind: Istios}
`,
    );
    expect(settings).toEqual({
      baseUrl: 'https://[::1]:443',
      scheduler: {
        deleteStrategy: 'all',
        reconcilers: new Map([
          ['base', 'http://base/v1/run'],
          ['istio', 'https://istio/v1/run'],
        ]),
        maxParallel: new Map([['istio', 7]]),
        preComponents: [['cluster-essentials'], ['istio', 'certificates'], ['single']],
        componentCrds: new Map([
          ['istio', { group: 'operator.kyma-project.io', version: 'v1alpha1', plural: 'istios' }],
        ]),
      },
      database: {
        kind: 'postgres',
        keyFile: join(folder, 'keys/encryption.key'),
        connection: {
          host: 'db.example.org',
          port: 5433,
          database: 'reconciler',
          user: 'kyma',
          password: '12345',
          ssl: false,
        },
        maxConnections: 20,
        maxIdleMs: 90_000,
        maxLifetimeMs: 600_000,
      },
    });
  });

  test.each([
    {
      what: 'no part mothership',
      text: 'db: {}\nx: 1',
      want: 'cannot use /reconciler.yaml:1:1: mothership: it is missing',
    },
    {
      what: 'another scheme',
      text: mothership.replace('http\n', 'ftp\n'),
      want: '/reconciler.yaml:3:11: mothership.scheme: want http or https',
    },
    {
      what: 'a port that is none',
      text: mothership.replace('8080', '80800'),
      want: '/reconciler.yaml:5:9: mothership.port: want a whole number, 1 to 65535',
    },
    {
      what: 'no port',
      text: mothership.replace('  port: 8080\n', ''),
      want: 'mothership.port: it is missing',
    },
    {
      what: 'no reconciler',
      text: mothership.replace(/base:.*/, ''),
      want: '/reconciler.yaml:7:17: mothership.scheduler.reconcilers: want at least one',
    },
    {
      what: 'a URL that is none',
      text: mothership.replace(/'http:.*'/, 'nowhere'),
      want: '/reconciler.yaml:8:19: mothership.scheduler.reconcilers.base.url: want a URL',
    },
    {
      what: 'another strategy',
      text: `${mothership}    deleteStrategy: some\n`,
      want: '/reconciler.yaml:9:21: mothership.scheduler.deleteStrategy: want system or all',
    },
    {
      what: 'SQLite',
      text: `db: {driver: sqlite}\n${mothership}`,
      want: '/reconciler.yaml:1:14: db.driver: SQLite is not supported; leave out db.driver, or use --data-dir DIR',
    },
    { what: 'another driver', text: `db: {driver: mysql}\n${mothership}`, want: 'db.driver: want postgres' },
    {
      what: 'no host',
      text: `${postgres.replace(/host:.*/, '')}${mothership}`,
      want: '/reconciler.yaml:10:5: db.postgres.host: it is missing, as is RECONCILER_DATABASE_HOST',
    },
    {
      what: 'no key',
      text: `${postgres.replace(/keyFile:.*/, '')}${mothership}`,
      want: 'db.encryption.keyFile: it is missing',
    },
    {
      what: 'another mode of TLS',
      text: `${postgres.replace('disable', 'perhaps')}${mothership}`,
      want: '/reconciler.yaml:14:14: db.postgres.sslMode: want disable, require',
    },
    {
      what: 'too many connections',
      text: `${postgres.replace('20', '0')}${mothership}`,
      want: 'db.postgres.maxOpenConns: want a whole number, 1 to 10000',
    },
    { what: 'no YAML', text: 'mothership: [', want: '/reconciler.yaml:1:14: it is not valid YAML or JSON' },
  ])('$what: file, line and column', async ({ text, want }) => {
    expect(await failure(text)).toContain(want);
  });

  test('with several mistakes has all of them reported', async () => {
    const text = `${postgres
      .replace(/keyFile:.*/, '')
      .replace(/user:.*/, '')
      .replace('disable', 'x')}
mothership: {port: none, scheduler: {reconcilers: {base: {url: a}, istio: {}}, deleteStrategy: some}}`;
    const error: unknown = await load(text).catch((caught: unknown) => caught);
    const fields = (error as ConfigurationError).mistakes.map((line) => /\d: ([\w.]+): /.exec(line)?.[1]);
    expect(fields).toEqual([
      'db.postgres.user',
      'db.postgres.sslMode',
      'db.encryption.keyFile',
      'mothership.scheme',
      'mothership.host',
      'mothership.port',
      'mothership.scheduler.deleteStrategy',
      'mothership.scheduler.reconcilers.base.url',
      'mothership.scheduler.reconcilers.istio.url',
    ]);
  });

  test('that is missing is named', async () => {
    const config = join(folder, 'none.yaml');
    await expect(loadSettings({ config, databaseUrl: '', dataDir: '' }, {})).rejects.toThrow(
      /cannot read .*none\.yaml: ENOENT/,
    );
  });
});

describe('the database', () => {
  test('is embedded in the data folder of the user if there is none', async () => {
    const { database } = await load(mothership, { env: { XDG_DATA_HOME: '/data' } });
    const path = '/data/provider-kyma/mothership';
    expect(database).toEqual({
      kind: 'embedded',
      folder: path,
      keyFile: `${path}/encryption.key`,
      isDefault: true,
    });
  });

  test('variables have precedence over the file, and flags over both', async () => {
    const env = {
      RECONCILER_DATABASE_HOST: 'other.example.org',
      RECONCILER_DATABASE_PORT: '6000',
      RECONCILER_DATABASE_NAME: 'other',
      RECONCILER_DATABASE_MAX_OPEN_CONNS: '7',
      RECONCILER_ENCRYPTION_KEYFILE: '/keys/key',
    };
    const { database } = await load(postgres + mothership, { env });
    expect(database).toMatchObject({
      connection: { host: 'other.example.org', port: 6000, database: 'other', user: 'kyma' },
      maxConnections: 7,
      keyFile: '/keys/key',
    });
    const url = 'postgres://a:b@c/d';
    expect((await load(postgres + mothership, { env, flags: { databaseUrl: url } })).database).toMatchObject({
      connection: { connectionString: url },
      maxConnections: 7,
    });
    expect((await load(postgres + mothership, { env, flags: { dataDir: '/d' } })).database).toEqual({
      kind: 'embedded',
      folder: '/d',
      keyFile: '/keys/key',
      isDefault: false,
    });
  });

  test('several servers of a database: in the URL, and as hosts in the file', async () => {
    const databaseUrl = 'postgres://kyma:p%40ss@a:5433,b,[::1]:5434/db?connect_timeout=3';
    expect((await load(postgres + mothership, { flags: { databaseUrl } })).database).toMatchObject({
      connection: { connectionString: 'postgres://kyma:p%40ss@a:5433/db?connect_timeout=3' },
      standbys: [
        { connectionString: 'postgres://kyma:p%40ss@b/db?connect_timeout=3' },
        { connectionString: 'postgres://kyma:p%40ss@[::1]:5434/db?connect_timeout=3' },
      ],
    });
    const file = postgres.replace('host: db.example.org', 'host: a.example.org, b.example.org');
    expect((await load(file + mothership)).database).toMatchObject({
      connection: { host: 'a.example.org', port: 5433 },
      standbys: [{ host: 'b.example.org', port: 5433, user: 'kyma' }],
    });
  });

  test.each([
    { query: '', ssl: false },
    { query: '?sslmode=disable', ssl: false },
    { query: '?sslmode=require', ssl: { rejectUnauthorized: false } },
    {
      query: '?sslmode=require&sslrootcert=CA',
      ssl: { ca: 'pem', checkServerIdentity: expect.any(Function) },
    },
    {
      query: '?sslmode=verify-ca&sslrootcert=CA',
      ssl: { ca: 'pem', checkServerIdentity: expect.any(Function) },
    },
    { query: '?sslmode=verify-full', ssl: {} },
    { query: '?sslrootcert=CA', ssl: { ca: 'pem' } },
    { query: '?sslmode=verify-full&sslcert=CA&sslkey=CA', ssl: { cert: 'pem', key: 'pem' } },
  ])('the TLS mode in a URL means what it means in the file: $query', async ({ query, ssl }) => {
    await writeFile(join(folder, 'ca.pem'), 'pem');
    const databaseUrl = `postgres://a:b@c/d${query.replaceAll('CA', join(folder, 'ca.pem'))}`;
    const { database } = await load(postgres + mothership, { flags: { databaseUrl } });
    expect(database).toMatchObject({ connection: { connectionString: 'postgres://a:b@c/d' } });
    expect(database).toHaveProperty('connection.ssl', ssl);
  });

  test('options of a URL do not replace those of the program', async () => {
    const databaseUrl = 'postgres://a:b@c/d?options=endpoint%3Dx&application_name=y';
    expect((await load(postgres + mothership, { flags: { databaseUrl } })).database).toMatchObject({
      connection: { connectionString: 'postgres://a:b@c/d?application_name=y', options: 'endpoint=x' },
    });
  });

  test.each([
    {
      what: 'an unknown TLS mode in a URL',
      flags: { databaseUrl: 'postgres://a:hidden@b/c?sslmode=prefer' },
      env: {},
      want: 'cannot use --database-url: sslmode: want disable, require, verify-ca or verify-full',
    },
    {
      what: 'a certificate in a URL that is not there',
      flags: { databaseUrl: 'postgres://a:hidden@b/c?sslmode=verify-full&sslrootcert=/nowhere' },
      env: {},
      want: 'cannot use --database-url: sslrootcert: cannot read it',
    },
    {
      what: 'a password in a URL that is not encoded',
      flags: { databaseUrl: 'postgres://a:hid#den@b/c' },
      env: {},
      want: 'percent-encoded special characters in user and password',
    },
    {
      what: 'a password in a URL that begins like a port',
      flags: { databaseUrl: 'postgres://a:12/hidden@b/c' },
      env: {},
      want: 'percent-encoded special characters in user and password',
    },
    {
      what: 'both flags',
      flags: { databaseUrl: 'postgres://a/b', dataDir: 'x' },
      env: {},
      want: 'cannot use --database-url and --data-dir together',
    },
    {
      what: 'a URL of something else',
      flags: { databaseUrl: 'mysql://user:hidden@x/y' },
      env: {},
      want: 'cannot use --database-url: want postgres://',
    },
    {
      what: 'a variable that is no number',
      flags: {},
      env: { RECONCILER_DATABASE_PORT: 'many' },
      want: 'cannot use RECONCILER_DATABASE_PORT: want a whole number',
    },
    {
      what: 'a variable that is no duration',
      flags: {},
      env: { RECONCILER_DATABASE_CONN_MAX_LIFETIME: '-1s' },
      want: 'cannot use RECONCILER_DATABASE_CONN_MAX_LIFETIME: want a duration',
    },
  ])('$what: one error', async ({ flags, env, want }) => {
    const message = await failure(postgres + mothership, { flags, env });
    expect(message).toContain(want);
    expect(message).not.toContain('hidden');
  });
});

test.each([
  { text: '', want: 'system' },
  { text: 'SYSTEM', want: 'system' },
  { text: 'aLL', want: 'all' },
  { text: 'some', want: undefined },
])('[R28] the strategy of deletions $text is $want', ({ text, want }) => {
  expect(parseDeleteStrategy(text)).toBe(want);
});

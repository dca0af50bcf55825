import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import type { ProcessLike } from '../framework/module/console/process-like.ts';
import { program, run } from './program.ts';

interface Output {
  readonly out: string[];
  readonly err: string[];
}

const processOf = ({ out, err }: Output, env: Record<string, string> = {}): ProcessLike => ({
  env: { KUBECONFIG: '/no/such/kubeconfig', ...env },
  stdout: { write: (text) => out.push(text) },
  stderr: { write: (text) => err.push(text) },
  on: () => undefined,
  removeListener: () => undefined,
  exit: () => undefined,
});

async function ran(args: readonly string[], env: Record<string, string> = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const host = processOf({ out, err }, env);
  await run(host, args);
  return { out: out.join(''), err: err.join(''), code: host.exitCode };
}

describe('authorities of the environment that cannot be read', () => {
  const env = { SSL_CERT_FILE: '/no/such/file', SSL_CERT_DIR: '/no/such/folder' };

  test.each([
    ['start'],
    ['plan', 'x'],
    ['doctor', 'x'],
    ['discover'],
    ['clusters', 'list'],
    ['mothership', 'start'],
    ['component', 'start', 'base'],
    ['local', '--version', 'main'],
  ])('end %s %s', async (...args) => {
    const { out, err, code } = await ran(args, env);
    expect({ text: out + err, code }).toMatchObject({
      text: expect.stringContaining('cannot read SSL_CERT_FILE /no/such/file'),
      code: 1,
    });
  });

  test('are nothing to commands without connections', async () => {
    expect(await ran(['completion', 'bash'], env)).toMatchObject({ err: '' });
  });
});

describe('variables that Kubernetes makes of the Services of a namespace', () => {
  const linkOf = (service: string) => ({
    [`${service}_PORT`]: 'tcp://10.0.0.1:443',
    [`${service}_PORT_443_TCP`]: 'tcp://10.0.0.1:443',
    [`${service}_SERVICE_HOST`]: '10.0.0.1',
    [`${service}_SERVICE_PORT`]: '443',
  });

  /** As the process itself, since flags are read from its variables. */
  async function ranIn(vars: Readonly<Record<string, string>>, args: readonly string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const set = { ...vars, KUBECONFIG: '/no/such/kubeconfig' };
    const before = Object.keys(set).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, set);
    try {
      await run({ ...processOf({ out, err }), env: process.env }, args);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
    }
    return [...out, ...err].join('');
  }

  test.each([
    ['WEBHOOK', ['start'], '/no/such/kubeconfig'],
    ['RECONCILER_SERVER', ['mothership', 'start', '--config=/no/such/file'], '/no/such/file'],
    ['RECONCILER_DATABASE', ['mothership', 'start', '--config=/no/such/file'], '/no/such/file'],
  ])('%s_PORT is no flag', async (service, args, message) => {
    const text = await ranIn(linkOf(service), args);
    expect(text).toContain(message);
    expect(text).not.toContain('tcp://');
  });

  test('are told from a setting that is wrong', async () => {
    expect(await ranIn({ WEBHOOK_PORT: 'tcp://10.0.0.1:443' }, ['start'])).toContain('tcp://10.0.0.1:443');
  });
});

describe('an invalid command line', () => {
  test.each([
    { command: 'start', args: ['--nonsense'], code: 2 },
    { command: 'start', args: ['--controllers=config,nonsense'], code: 2 },
    { command: 'doctor', args: ['x', '-o', 'xml'], code: 2 },
    { command: 'doctor', args: [], code: 2 },
    { command: 'doctor', args: ['x', '--before-uninstall'], code: 2 },
    { command: 'plan', args: [], code: 1 },
    { command: 'plan', args: ['x', '-o', 'xml'], code: 1 },
    { command: 'discover', args: ['--nonsense'], code: 1 },
    { command: 'btp', args: ['cleanup'], code: 2 },
    { command: 'btp', args: ['cleanup', '--all', '-n', 'shop'], code: 2 },
    { command: 'btp', args: ['cleanup', '-n', ''], code: 2 },
    { command: 'btp', args: ['cleanup', '--all', '-n', ''], code: 2 },
    { command: 'btp', args: ['cleanup', '--all', '--timeout=soon'], code: 2 },
    { command: 'completion', args: ['tcsh'], code: 2 },
    // Those of the cluster without a name.
    { command: 'clusters', args: ['delete', ''], code: 2 },
    { command: 'clusters', args: ['get', ''], code: 2 },
    { command: 'reconciliations', args: ['list', '--cluster', ''], code: 2 },
    { command: 'reconciliations', args: ['delete', ''], code: 2 },
    { command: 'reconciliations', args: ['debug', 'x', ''], code: 2 },
    { command: 'operations', args: ['stop', '', 'x', '--reason', 'y'], code: 2 },
    { command: 'rollouts', args: ['resume', ''], code: 2 },
  ])('$command $args ends with $code, and one line on stderr', async ({ command, args, code }) => {
    const { out, err, ...ended } = await ran([command, ...args]);
    expect({ out, ...ended }).toEqual({ out: '', code });
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});

describe('what is unknown', () => {
  const leavesOf = (command: Command): readonly Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
  const pathOf = (command: Command): readonly string[] =>
    command.parent === null ? [] : [...pathOf(command.parent), command.name()];
  const host = processOf({ out: [], err: [] });
  /** Commands that have flags of their own. */
  const leaves = leavesOf(program(host)).flatMap((command) => {
    const [flag] = command.options.flatMap(({ long, hidden }) =>
      hidden || long === undefined || long.length < 8 ? [] : [long],
    );
    return flag === undefined ? [] : [{ path: pathOf(command).join(' '), flag }];
  });

  test('all commands with flags are among those that are tried', () => {
    expect(leaves.length).toBeGreaterThan(25);
  });

  test.each(leaves)(
    'as a flag of $path is answered with the flag that is meant, or with help',
    async ({ path, flag }) => {
      const mistyped = flag.slice(0, -1);
      const similar = await ran([...path.split(' '), `${mistyped}=x`]);
      expect(similar.err).toBe(`error: unknown option '${mistyped}'; did you mean ${flag}?\n`);
      const other = await ran([...path.split(' '), '--qqqqqqqq']);
      expect(other.err).toBe(`error: unknown option '--qqqqqqqq'; see provider-kyma ${path} --help\n`);
    },
  );

  test.each([
    [['xyzzyxyzzy'], ''],
    [['mothership', 'xyzzyxyzzy'], ' mothership'],
  ])('as a command (%s) is answered with help', async (args, path) => {
    const { err } = await ran(args);
    expect(err).toBe(`error: unknown command 'xyzzyxyzzy'; see provider-kyma${path} --help\n`);
  });
});

test.each([
  { command: 'start', args: [], code: 2 },
  { command: 'plan', args: ['x'], code: 1 },
  { command: 'discover', args: [], code: 1 },
  { command: 'doctor', args: ['x'], code: 2 },
])('$command refuses a value of the environment by its name, with $code', async ({ command, args, code }) => {
  const before = process.env.PROVIDER_KYMA_DEBUG;
  process.env.PROVIDER_KYMA_DEBUG = 'perhaps';
  try {
    const { err, ...ended } = await ran([command, ...args], { PROVIDER_KYMA_DEBUG: 'perhaps' });
    expect(ended).toEqual({ out: '', code });
    expect(err).toContain("value 'perhaps' from env 'PROVIDER_KYMA_DEBUG' is invalid. want true or false.");
  } finally {
    if (before === undefined) delete process.env.PROVIDER_KYMA_DEBUG;
    else process.env.PROVIDER_KYMA_DEBUG = before;
  }
});

test.each([
  ['--leader-elect', '--health-probe-bind-address', ':0'],
  ['--leader-elect=false', '--health-probe-bind-address=:0'],
  ['-leader-elect', '-health-probe-bind-address', ':0'],
  ['-leader-elect=false', '-health-probe-bind-address=:0'],
])('flags of programs that are built with kubebuilder are known: %s %s', async (...flags) => {
  const { err } = await ran(['start', ...flags]);
  expect(err).toContain('/no/such/kubeconfig');
});

describe('flags with one dash, as programs in Go take them', () => {
  test.each([
    ['-gardener-request-timeout=1s', '-audit-log-mandatory'],
    ['-gardener-request-timeout', '1s', '-audit-log-mandatory=false', '-no-leader-election', '-d'],
  ])('are known to start: %s', async (...flags) => {
    const { err } = await ran(['start', '-controllers=infrastructure-manager', ...flags]);
    expect(err).toContain('/no/such/kubeconfig');
  });

  test('have the bounds of those with two', async () => {
    const { err, code } = await ran(['start', '-gardener-request-timeout=1ns']);
    expect([err, code]).toEqual([expect.stringContaining('want a duration'), 2]);
  });

  test('that are not known are refused by their names', async () => {
    const { err, code } = await ran(['start', '-gardener-request-timeot=1s']);
    expect([err, code]).toEqual([
      "error: unknown option '--gardener-request-timeot'; did you mean --gardener-request-timeout?\n",
      2,
    ]);
  });
});

describe('flags of the mothership', () => {
  test.each([
    ['--worker-count', '0'],
    ['--worker-count', '-1'],
    ['--orphan-timeout', '0s'],
    ['--watch-interval', '-1m'],
    ['--reconcile-interval', '0'],
    ['--cleaner-interval', 'soon'],
    ['--purge-older-than', '-1h'],
    ['--reconciliations-keep-n-latest', '-1'],
    ['--recon-max-age-days', '1.5'],
    ['--status-cleanup-batch-size', '99'],
    ['--max-parallel', '-1'],
    ['--server-port', '65536'],
  ])('[R48] %s %s is refused', async (flag, value) => {
    const { err, code } = await ran(['mothership', 'start', `${flag}=${value}`]);
    expect(err).toContain(`option '${flag}`);
    expect(code).toBe(2);
  });

  test('a wrong file is in the log alone, with code 2', async () => {
    const { out, err, code } = await ran([
      'mothership',
      'start',
      '-c',
      'package.json',
      '--server-port=1',
      '--server-port=0',
    ]);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    const [, line = '', ...others] = err.split('\n');
    expect(JSON.parse(line)).toMatchObject({
      message: 'the mothership ends',
      error:
        'cannot use package.json:1:1: mothership: it is missing; it needs scheme, host, port and scheduler.reconcilers; see docs/mothership/configuration.md',
    });
    expect(others).toEqual(['']);
  });

  test('a wrong file of a command is one line with its place and its page, several mistakes are one line each', async () => {
    const flags = ['-c', 'package.json', '--database-url=postgres://a/b'];
    expect(await ran(['mothership', 'rotate-key', ...flags])).toEqual({
      out: '',
      err: expect.stringMatching(
        /^provider-kyma: cannot use package\.json:1:1: db\.encryption\.keyFile: it is missing: .*; see docs\/mothership\/configuration\.md\n$/,
      ),
      code: 2,
    });
    const env = { RECONCILER_DATABASE_HOST: 'a', RECONCILER_DATABASE_PORT: '0' };
    const { err } = await ran(['mothership', 'rotate-key', '-c', 'package.json'], env);
    const [first, ...lines] = err.trimEnd().split('\n');
    expect(first).toBe(
      'provider-kyma: 4 mistakes in the configuration; see docs/mothership/configuration.md',
    );
    expect(lines.map((line) => /^ {2}cannot use (\S+)(?:: (db\.[\w.]+))?: /.exec(line)?.slice(1))).toEqual([
      ['RECONCILER_DATABASE_PORT', undefined],
      ['package.json:1:1', 'db.postgres.database'],
      ['package.json:1:1', 'db.postgres.user'],
      ['package.json:1:1', 'db.encryption.keyFile'],
    ]);
  });
});

test('mothership install keeps each key that there was, also if it runs twice in a second', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'install-'));
  try {
    const keyFile = join(folder, 'key');
    const keys: string[] = [];
    for (let run = 0; run < 3; run++) {
      const flags = ['--database-url=postgres://u:p@db.example.org/d', '-c', join(folder, 'config.yaml')];
      await writeFile(join(folder, 'config.yaml'), `db: {encryption: {keyFile: ${keyFile}}}\n`);
      expect(await ran(['mothership', 'install', ...flags])).toMatchObject({ err: '' });
      keys.push(await readFile(keyFile, 'utf8'));
    }
    const kept = (await readdir(folder)).filter((name) => name.endsWith('.bak'));
    const texts = await Promise.all(kept.map((name) => readFile(join(folder, name), 'utf8')));
    expect(texts.sort()).toEqual(keys.slice(0, 2).sort());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each(['', 'instancemapping/', 'runtime/a/b'])(
  'doctor %j is refused before a cluster is asked',
  async (name) => {
    const { err, code } = await ran(['doctor', name]);
    expect([err, code]).toEqual([`provider-kyma doctor: cannot check ${name}: want NAME or KIND/NAME\n`, 2]);
  },
);

test('an invalid resource name is refused', async () => {
  const { err, code } = await ran(['doctor', 'x', '--context', 'x'.repeat(5000)]);
  expect(err).toContain('is invalid. want at most 4096 characters.');
  expect(code).toBe(2);
});

test.each(['plan', 'discover', 'doctor'])(
  '%s without a cluster says so on stderr, with the code for what it could not ask',
  async (command) => {
    const args = command === 'discover' ? [] : ['x'];
    const { out, err, code } = await ran([command, ...args]);
    expect({ out, code }).toEqual({ out: '', code: command === 'doctor' ? 2 : 1 });
    expect(err).toBe(`provider-kyma ${command}: cannot read kubeconfig /no/such/kubeconfig: no such file\n`);
  },
);

test('values of short flags may follow an equals sign, as in kubectl', async () => {
  expect(await ran(['plan', 'x', '-o=json', '-n=shop'])).toMatchObject({
    err: expect.stringContaining('cannot read kubeconfig'),
  });
  expect(await ran(['plan', 'x', '-o=xml'])).toMatchObject({
    err: expect.stringContaining("argument 'xml' is invalid"),
  });
});

test.each([
  { command: ['plan'], want: ['kubeconfig', 'allow-private-endpoints'] },
  { command: ['discover'], want: ['kubeconfig', 'allow-private-endpoints'] },
  { command: ['doctor'], want: ['kubeconfig', 'allow-private-endpoints'] },
  { command: ['btp', 'cleanup'], want: ['kubeconfig'] },
  { command: ['template', 'render'], want: [] },
  { command: ['completion'], want: [] },
])('$command has only the connection flags that it uses: $want', async ({ command, want }) => {
  const { out } = await ran([...command, '--help']);
  const listed = [...out.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name = '']) => name);
  const connecting = ['kubeconfig', 'context', 'namespace', 'allow-private-endpoints', 'debug'];
  const [first, ...others] = want;
  const expected = first === undefined ? [] : [first, 'context', 'namespace', ...others, 'debug'];
  expect(listed.filter((name) => connecting.includes(name))).toEqual(expected);
});

test('help has the name with which the program was called', async () => {
  expect((await ran(['--help'])).out).toMatch(/^Usage: provider-kyma /);
  expect((await ran(['plan', '--help'], { PROVIDER_KYMA_COMMAND: 'kubectl kyma' })).out).toMatch(
    /^Usage: kubectl kyma plan /,
  );
});

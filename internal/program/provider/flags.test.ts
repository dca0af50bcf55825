import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { defaultsOf, joinGroups } from '../../framework/process/flag.ts';
import { componentGroups } from '../../systems/reconciler/components/component-flags.ts';
import { mothershipGroups } from '../../systems/reconciler/mothership/config/start-flags.ts';
import { addStartFlags, flagTable, type StartFlags } from './flags.ts';

/** Parses like the command. Sets environment variables of the process during the call. */
function parse(args: string[], env: Record<string, string> = {}): StartFlags {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    const command = addStartFlags(new Command(), env)
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    return command.parse(args, { from: 'user' }).opts<StartFlags>();
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

test('the program and its modules have no flag or environment variable in common', () => {
  expect(() => flagTable()).not.toThrow();
});

describe('booleans', () => {
  const table: { args: string[]; want: boolean; reason: string }[] = [
    { args: ['--leader-election'], want: true, reason: 'the bare flag turns it on' },
    { args: ['--leader-election=true'], want: true, reason: 'as in Go programs' },
    { args: ['--leader-election=false'], want: false, reason: 'turned off inside a pod' },
    { args: ['--no-leader-election'], want: false, reason: 'as in kingpin' },
    { args: ['-l'], want: true, reason: 'the short form' },
  ];
  test.each(table)('$args is $want: $reason', ({ args, want }) => {
    expect(parse(args, { POD_NAMESPACE: 'crossplane-system' }).leaderElection).toBe(want);
  });
  test('leader election is on by default inside a pod', () => {
    expect(parse([], { POD_NAMESPACE: 'crossplane-system' }).leaderElection).toBe(true);
  });
});

test('ports are those of controller-runtime inside a pod, and no ports of a mothership elsewhere', () => {
  const portsOf = (env: Record<string, string>) => {
    const { metricsBindAddress, healthProbeBindAddr } = parse([], env);
    return [metricsBindAddress, healthProbeBindAddr];
  };
  expect(portsOf({ KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toEqual([':8080', ':8081']);
  for (const { serverPort } of [
    defaultsOf(joinGroups(mothershipGroups)),
    defaultsOf(joinGroups(componentGroups)),
  ])
    expect(portsOf({})).not.toContain(`:${serverPort}`);
});

test('the environment of the SAP BTP service operator is read', () => {
  const env = {
    CLUSTER_ID: 'cluster-1',
    INITIAL_CLUSTER_ID: 'cluster-1',
    RELEASE_NAMESPACE: 'release',
    MANAGEMENT_NAMESPACE: 'management',
    APP_VERSION: '0.11.8',
    POLL_INTERVAL: '250ms',
    RETRY_BASE_DELAY: '50ms',
    RETRY_MAX_DELAY: '2s',
    ENABLE_WEBHOOKS: 'false',
    ALLOW_CLUSTER_ACCESS: 'false',
    ALLOWED_NAMESPACES: 'shop,office',
    ENABLE_NAMESPACE_SECRETS: 'false',
    ENABLE_LIMITED_CACHE: 'true',
    SYNC_PERIOD: '60s',
    LONG_POLL_INTERVAL: '5m',
    WEBHOOK_CERT_DIR: '/certs',
  };
  expect(parse([], env)).toMatchObject({
    clusterId: 'cluster-1',
    initialClusterId: 'cluster-1',
    releaseNamespace: 'release',
    managementNamespace: 'management',
    appVersion: '0.11.8',
    operationPollInterval: 250,
    retryBaseDelay: 50,
    retryMaxDelay: 2000,
    enableWebhooks: false,
    allowClusterAccess: false,
    allowedNamespaces: 'shop,office',
    enableNamespaceSecrets: false,
    enableLimitedCache: true,
    webhookTlsCertDir: '/certs',
  });
  expect(parse(['--cluster-id=other', '--operation-poll-interval=1s'], env)).toMatchObject({
    clusterId: 'other',
    operationPollInterval: 1000,
  });
});

describe('the flags of the Kyma infrastructure manager', () => {
  const table: [flag: string, byDefault: unknown, given: string, value: unknown][] = [
    ['metrics-bind-address', ':8080', ':9090', ':9090'],
    ['gardener-kubeconfig-path', '/gardener/kubeconfig/kubeconfig', '/k', '/k'],
    ['gardener-project-name', 'gardener-project', 'kyma-dev', 'kyma-dev'],
    ['converter-config-filepath', '/converter-config/converter_config.json', '/c', '/c'],
    ['minimal-rotation-time', '0.6', '0.5', '0.5'],
    ['kubeconfig-expiration-time', 86_400_000, '12h', 43_200_000],
    ['gardener-ctrl-reconcilation-timeout', 60_000, '2m', 120_000],
    ['gardener-request-timeout', 3000, '60s', 60_000],
    ['gardener-cluster-ctrl-workers-cnt', 25, '10', 10],
    ['runtime-ctrl-workers-cnt', 25, '10', 10],
    ['audit-log-mandatory', true, 'false', false],
    ['status-requeue-delay', 1000, '3s', 3000],
    ['network-restriction-enabled', true, 'false', false],
    ['api-server-acl-enabled', false, 'true', true],
    ['registry-cache-config-controller-enabled', false, 'true', true],
    ['registry-cache-reconcile-period', 3_600_000, '10m', 600_000],
    // Of the year before.
    ['structured-auth-enabled', false, 'true', true],
    ['custom-config-controller-enabled', false, 'true', true],
    // Decision 22: that program has 5.
    ['gardener-ratelimiter-qps', 0, '5', 5],
    ['gardener-ratelimiter-burst', 0, '5', 5],
    ['kubeconfig', '', '/kube', '/kube'],
    ['zap-log-level', '', 'debug', 'debug'],
    ['zap-encoder', '', 'json', 'json'],
    ['zap-devel', false, 'true', true],
  ];
  test.each(table)('--%s is %j unless given', (flag, byDefault, given, value) => {
    const name = flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    // Its ports are defaults inside a pod, where it runs.
    expect(parse([], { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toHaveProperty(name, byDefault);
    expect(parse([`--${flag}=${given}`])).toHaveProperty(name, value);
    // As in Go, the value of a boolean is never a word of its own.
    if (typeof value !== 'boolean') expect(parse([`--${flag}`, given])).toHaveProperty(name, value);
    else if (value) expect(parse([`--${flag}`])).toHaveProperty(name, true);
  });
});

test.each([
  '',
  'shard=a',
  'shard == a, x!=b',
  'shard notin (a, b),!x',
  'a.example.org/b in (c)',
  'shard, n > 5',
  'shard=',
])('--watch-label-selector=%s is accepted', (value) => {
  expect(parse([`--watch-label-selector=${value}`])).toHaveProperty('watchLabelSelector', value);
});

test.each(['a b', '=a', 'shard=a,', 'shard in ()', 'shard in a', 'shard=a b', 'a/b/c=d', 'shard=ä', '-a=b'])(
  '--watch-label-selector=%s, which API servers refuse, is refused at the start',
  (value) => {
    expect(() => parse([`--watch-label-selector=${value}`])).toThrow('want a label selector');
  },
);

test.each(['0', '0s', '-1s'])('[N2] --status-requeue-delay=%s is refused', (value) => {
  expect(() => parse([`--status-requeue-delay=${value}`])).toThrow();
});

test('durations are written as in Go', () => {
  expect(parse(['--poll', '1m30s']).poll).toBe(90_000);
  expect(() => parse(['--poll', 'soon'])).toThrow();
  expect(() => parse(['--poll', '-1s'])).toThrow();
});

/** The error of the command on stderr. */
function refusal(args: string[], env: Record<string, string> = {}): string {
  let text = '';
  const before = { ...process.env };
  Object.assign(process.env, env);
  const command = addStartFlags(new Command(), env)
    .exitOverride()
    .configureOutput({
      writeErr: (line) => {
        text += line;
      },
    });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 1 });
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
  return text.trim();
}

describe('a value out of bounds is refused with the flag, the value and the bounds', () => {
  const bound = 'want a duration such as 90s or 1m30s, 1s to 24h.';
  const cases: { flag: string; value: string; want: string }[] = [
    { flag: 'poll', value: '0s', want: bound },
    { flag: 'poll', value: '999ms', want: bound },
    { flag: 'poll', value: '24h1s', want: bound },
    { flag: 'poll', value: `${'9'.repeat(400)}h`, want: bound },
    { flag: 'poll', value: 'soon', want: bound },
    { flag: 'min-poll-interval', value: '1ms', want: bound },
    { flag: 'poll-jitter-percentage', value: '100', want: 'want a whole number, 0 to 99.' },
    { flag: 'max-reconcile-rate', value: '0', want: 'want a whole number, 1 to 10000.' },
    { flag: 'max-external-calls', value: '1e9', want: 'want a whole number, 1 to 10000.' },
    {
      flag: 'controllers',
      value: 'config,x',
      want: 'want names of modules, separated by commas: config, inv',
    },
    { flag: 'leader-election-namespace', value: 'a/b', want: 'want a namespace: at most 63' },
    { flag: 'metrics-bind-address', value: ':70000', want: 'want 0, :port or host:port' },
    { flag: 'changelogs-socket-path', value: 'x'.repeat(108), want: 'want a path of 1 to 107 bytes.' },
    { flag: 'debug', value: 'perhaps', want: 'want true or false.' },
  ];
  test.each(cases)('--$flag=$value', ({ flag, value, want }) => {
    const onLine = refusal([`--${flag}=${value}`]);
    expect(onLine).toContain(`--${flag}`);
    expect(onLine).toContain(`argument '${value}' is invalid. ${want}`);
    const variable = `PROVIDER_KYMA_${flag.replaceAll('-', '_').toUpperCase()}`;
    const own = {
      'metrics-bind-address': 'METRICS_BIND_ADDRESS',
      'changelogs-socket-path': 'CHANGELOGS_SOCKET_PATH',
    };
    const env = Object.hasOwn(own, flag) ? own[flag as keyof typeof own] : variable;
    expect(refusal([], { [env]: value })).toContain(`value '${value}' from env '${env}' is invalid. ${want}`);
  });
});

test('every default is within its bounds', () => {
  for (const [name, flag] of Object.entries(flagTable())) {
    const text = flag.type === 'duration' ? flag.defaultText : String(flag.default);
    expect(refusal([`--${name}=${text}`])).toBe('');
  }
});

test('every flag has an environment variable; the command line has precedence', () => {
  expect(parse([], { PROVIDER_KYMA_POLL: '5s' }).poll).toBe(5000);
  expect(parse(['--poll=7s'], { PROVIDER_KYMA_POLL: '5s' }).poll).toBe(7000);
  expect(parse([], { ALLOW_PRIVATE_ENDPOINTS: 'true' }).allowPrivateEndpoints).toBe(true);
  expect(parse([], { ENABLE_MANAGEMENT_POLICIES: 'false' }).enableManagementPolicies).toBe(false);
});

import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addFlags, environmentTwin, flagTable, type StartFlags } from './flags.ts';

/** Parses as the command does; environment twins are read from the process, so they are put there for the while. */
function parse(args: string[], env: Record<string, string> = {}): StartFlags {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    const command = addFlags(new Command(), env)
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

test('starts with no flags at all, with the documented defaults', () => {
  expect(parse([])).toMatchObject({
    debug: false,
    leaderElection: false,
    sync: 3_600_000,
    poll: 60_000,
    pollJitterPercentage: 10,
    minPollInterval: 1000,
    pollStateMetric: 5000,
    maxReconcileRate: 100,
    maxExternalCalls: 32,
    enableManagementPolicies: true,
    allowPrivateEndpoints: false,
    metricsBindAddress: ':8080',
    healthProbeBindAddr: ':8081',
    webhookPort: 9443,
  });
});

describe('booleans', () => {
  const table: { args: string[]; want: boolean; reason: string }[] = [
    { args: ['--leader-election'], want: true, reason: 'the bare flag turns it on' },
    { args: ['--leader-election=true'], want: true, reason: 'as Go programs are given it' },
    { args: ['--leader-election=false'], want: false, reason: 'turned off although a pod turns it on' },
    { args: ['--no-leader-election'], want: false, reason: 'as kingpin writes it' },
    { args: ['-l'], want: true, reason: 'the short form' },
  ];
  test.each(table)('$args is $want: $reason', ({ args, want }) => {
    expect(parse(args, { POD_NAMESPACE: 'crossplane-system' }).leaderElection).toBe(want);
  });
  test('leader election is on by default inside a pod', () => {
    expect(parse([], { POD_NAMESPACE: 'crossplane-system' }).leaderElection).toBe(true);
  });
});

test('durations are written as in Go', () => {
  expect(parse(['--poll', '1m30s']).poll).toBe(90_000);
  expect(() => parse(['--poll', 'soon'])).toThrow();
  expect(() => parse(['--poll', '-1s'])).toThrow();
});

test('numbers out of bounds are refused', () => {
  expect(() => parse(['--poll-jitter-percentage', '100'])).toThrow();
  expect(() => parse(['--max-reconcile-rate', '0'])).toThrow();
  expect(() => parse(['--max-external-calls', 'many'])).toThrow();
});

test('every flag has an environment twin, and the command line wins over it', () => {
  expect(parse([], { PROVIDER_KYMA_POLL: '5s' }).poll).toBe(5000);
  expect(parse(['--poll=7s'], { PROVIDER_KYMA_POLL: '5s' }).poll).toBe(7000);
  expect(parse([], { ALLOW_PRIVATE_ENDPOINTS: 'true' }).allowPrivateEndpoints).toBe(true);
  expect(parse([], { ENABLE_MANAGEMENT_POLICIES: 'false' }).enableManagementPolicies).toBe(false);
  const twins = Object.entries(flagTable()).map(([name, flag]) => environmentTwin(name, flag));
  expect(new Set(twins).size).toBe(twins.length);
});

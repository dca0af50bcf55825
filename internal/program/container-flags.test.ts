import { expect, test } from '@jest/globals';
import { withContainerFlags } from './container-flags.ts';
import { flagTable } from './provider/flags.ts';

const commandLine = (...args: readonly string[]) =>
  [
    '/nodejs/bin/node',
    '--min-semi-space-size=4',
    '/provider-kyma/provider-kyma.mjs',
    'start',
    ...args,
    '',
  ].join('\0');

test.each<[string, string[], NodeJS.ProcessEnv]>([
  ['none', [], {}],
  [
    'with value',
    ['--controllers=btp', '--poll=5m'],
    { PROVIDER_KYMA_CONTROLLERS: 'btp', PROVIDER_KYMA_POLL: '5m' },
  ],
  [
    'with value as a word',
    ['--controllers', 'config,inventory,btp'],
    { PROVIDER_KYMA_CONTROLLERS: 'config,inventory,btp' },
  ],
  [
    'boolean',
    ['--allow-private-endpoints', '--debug=false'],
    { ALLOW_PRIVATE_ENDPOINTS: 'true', PROVIDER_KYMA_DEBUG: 'false' },
  ],
  ['boolean with a word', ['--debug', 'true'], { PROVIDER_KYMA_DEBUG: 'true' }],
  ['boolean with a word, as start takes them', ['--debug', '0'], { PROVIDER_KYMA_DEBUG: '0' }],
  [
    'boolean before another',
    ['--debug', '--poll', '5m'],
    { PROVIDER_KYMA_DEBUG: 'true', PROVIDER_KYMA_POLL: '5m' },
  ],
  ['negated', ['--no-leader-election'], { LEADER_ELECTION: 'false' }],
  ['unknown', ['--other=1', 'x'], {}],
])('flags of the container are variables of a command beside it: %s', (_, args, env) => {
  expect(withContainerFlags({}, flagTable(), commandLine(...args))).toEqual(env);
});

test('a variable that is set remains, and the command line of another program has no effect', () => {
  const env = { ALLOW_PRIVATE_ENDPOINTS: 'false' };
  const words = commandLine('--allow-private-endpoints', '--poll=5m');
  expect(withContainerFlags(env, flagTable(), words)).toEqual({ ...env, PROVIDER_KYMA_POLL: '5m' });
  for (const other of [undefined, '/pause\0', 'sh\0start\0--poll=5m\0'])
    expect(withContainerFlags(env, flagTable(), other)).toBe(env);
});

import { expect, test } from '@jest/globals';
import { configurationOf, runtimeOf } from './fixtures/rendering.fixture.ts';
import { createShootRendering } from './shoot-rendering.ts';

const rendering = createShootRendering(configurationOf());
const configOf = (oidcConfig: object) =>
  rendering.authenticationConfig(runtimeOf({ shoot: { kubernetes: { kubeAPIServer: { oidcConfig } } } }));

const fromDefault = `apiVersion: apiserver.config.k8s.io/v1beta1
jwt:
- claimMappings:
    groups:
      claim: groups
      prefix: ""
    username:
      claim: sub
      prefix: ""
  issuer:
    audiences:
    - operator-client
    url: https://operator.example.org
kind: AuthenticationConfiguration
`;

test('[I101] a ConfigMap with the one issuer of the Runtime', () => {
  const own = {
    clientID: 'id',
    issuerURL: 'https://own.example.org',
    groupsClaim: 'g',
    groupsPrefix: 'gp:',
    usernameClaim: 'u',
    signingAlgs: ['ES256'],
  };
  expect(configOf(own)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'garden-kyma', name: 'structured-auth-config-shoot' },
    data: {
      'config.yaml': `apiVersion: apiserver.config.k8s.io/v1beta1
jwt:
- claimMappings:
    groups:
      claim: g
      prefix: "gp:"
    username:
      claim: u
      prefix: https://own.example.org#
  issuer:
    audiences:
    - id
    url: https://own.example.org
kind: AuthenticationConfiguration
`,
    },
  });
});

test.each([
  ['no field', {}],
  ['no issuer', { clientID: 'id', groupsPrefix: 'own' }],
  ['no client', { issuerURL: 'https://own.example.org' }],
])('[I101] %s: that of the configuration', (_, oidcConfig) => {
  expect(configOf(oidcConfig).data).toEqual({ 'config.yaml': fromDefault });
});

const issuer = { clientID: 'id', issuerURL: 'https://own.example.org' };

test.each([
  ['no claim and no prefix', {}, 'claim: sub', 'prefix: https://own.example.org#'],
  [
    'an empty prefix',
    { usernameClaim: 'name', usernamePrefix: '' },
    'claim: name',
    'prefix: https://own.example.org#',
  ],
  ['the claim email', { usernameClaim: 'email' }, 'claim: email', 'prefix: ""'],
  ['the prefix -', { usernamePrefix: '-' }, 'claim: sub', 'prefix: ""'],
  ['a prefix', { usernamePrefix: 'own:' }, 'claim: sub', 'prefix: "own:"'],
])('%s means what it means as a flag of the API server', (_, oidcConfig, claim, prefix) => {
  const text = configOf({ ...issuer, ...oidcConfig }).data?.['config.yaml'];
  expect(text).toContain(`    username:\n      ${claim}\n      ${prefix}\n`);
  expect(text).not.toContain('groups:');
});

test('required claims and the authority of the issuer are not dropped: that would let others in', () => {
  const text = configOf({ ...issuer, requiredClaims: { team: 'yes' }, caBundle: 'PEM' }).data?.[
    'config.yaml'
  ];
  // Without quotes no text for the API server.
  expect(text).toContain('  claimValidationRules:\n  - claim: team\n    requiredValue: "yes"\n');
  expect(text).toContain('    certificateAuthority: PEM\n');
});

test('more claims than an API server checks are refused, and not written', () => {
  const requiredClaims = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, n) => [`claim-${n}`, 'value']),
  );
  const before = process.threadCpuUsage();
  expect(() => configOf({ ...issuer, requiredClaims })).toThrow(
    'spec.shoot.kubernetes.kubeAPIServer.oidcConfig.requiredClaims: there may be at most 1000 claims',
  );
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(250);
});

test('the Shoot refers to it', () => {
  const { metadata } = configOf({});
  expect(rendering.create(runtimeOf()).spec?.kubernetes.kubeAPIServer).toMatchObject({
    structuredAuthentication: { configMapName: metadata.name },
  });
});

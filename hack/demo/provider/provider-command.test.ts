import { expect, test } from '@jest/globals';
import { providerEnvironment } from './provider-command.ts';

test('the provider gets the certificates to trust and nothing that the user’s shell sets for other ends', () => {
  const shell = {
    PATH: '/bin',
    HOME: '/h',
    KUBECONFIG: '/h/production',
    HTTPS_PROXY: 'http://proxy:3128',
    POD_NAMESPACE: 'default',
    PROVIDER_KYMA_POLL: '1s',
  };

  expect(providerEnvironment('/ca.pem', shell)).toEqual({
    PATH: '/bin',
    HOME: '/h',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
  });
});

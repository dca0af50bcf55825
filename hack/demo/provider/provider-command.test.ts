import { expect, test } from '@jest/globals';
import { providerEnvironment } from './provider-command.ts';

test("the provider gets the certificates and none of the shell's other settings", () => {
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

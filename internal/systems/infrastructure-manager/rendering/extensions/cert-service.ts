import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Extension } from './extension.ts';

const config: ExtensionSchemas['CertConfig'] = {
  apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
  kind: 'CertConfig',
  shootIssuers: { enabled: true },
};

/** Issues certificates. */
export const certService = (): Extension => ({
  type: 'shoot-cert-service',
  providerConfig: rawDocument(config),
});

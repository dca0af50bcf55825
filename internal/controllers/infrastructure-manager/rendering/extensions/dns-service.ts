import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { domainOf, usesOwnDns } from '../model/dns.ts';
import type { RenderingInput } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Extension } from './extension.ts';

/** Writes DNS records for services. */
export const dnsService = (input: RenderingInput): Extension => ({
  type: 'shoot-dns-service',
  providerConfig: rawDocument(configOf(input)),
});

function configOf({ spec, configuration }: RenderingInput): ExtensionSchemas['DNSConfig'] {
  const { dns } = configuration.converter;
  const config = {
    apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
    kind: 'DNSConfig',
    syncProvidersFromShootSpecDNS: true,
  } as const;
  if (!usesOwnDns(dns)) return { ...config, providers: null };
  const { secretName, providerType: type } = dns;
  const domains = { include: [domainOf(spec.shoot.name, dns)] };
  return {
    ...config,
    dnsProviderReplication: { enabled: true },
    providers: [{ domains, secretName, type }],
  };
}

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
  // In the Shoot too, so that its users can name providers for their domains.
  const dnsProviderReplication = { enabled: true };
  if (!usesOwnDns(dns)) return { ...config, dnsProviderReplication, providers: null };
  const { secretName, providerType: type } = dns;
  const domains = { include: [domainOf(spec.shoot.name, dns)] };
  return {
    ...config,
    dnsProviderReplication,
    // The name that Gardener gives to the reference to the Secret.
    providers: [{ credentials: `shoot-dns-service-${secretName}`, domains, type }],
  };
}

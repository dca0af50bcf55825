import { domainOf, usesOwnDns } from '../model/dns.ts';
import type { Extender } from '../model/extender.ts';

/** The domain of the Shoot, unless Gardener decides. It cannot change. */
export const dns: Extender = ({ spec, configuration }) => {
  const { converter } = configuration;
  if (!usesOwnDns(converter.dns)) return {};
  const { secretName, providerType: type } = converter.dns;
  const domain = domainOf(spec.shoot.name, converter.dns);
  return {
    spec: {
      dns: { domain, providers: [{ domains: { include: [domain] }, primary: true, secretName, type }] },
    },
  };
};

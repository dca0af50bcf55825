import type { ConverterConfiguration } from '../../configuration/configuration.ts';

type Dns = ConverterConfiguration['converter']['dns'];

/** Whether Shoots have a domain of the installation; else one of Gardener. */
export const usesOwnDns = ({ secretName, domainPrefix, providerType }: Dns): boolean =>
  secretName !== '' || domainPrefix !== '' || providerType !== '';

export const domainOf = (shoot: string, { domainPrefix }: Dns): string => `${shoot}.${domainPrefix}`;

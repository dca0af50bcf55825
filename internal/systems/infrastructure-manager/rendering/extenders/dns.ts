import type { GardenerSchemas } from '../../../../../apis/gardener/kinds.ts';
import { domainOf, usesOwnDns } from '../model/dns.ts';
import type { Extender, PatchInput, RenderingInput } from '../model/extender.ts';
import { compareVersions, newerVersion } from '../model/version.ts';
import { wantedVersion } from './kubernetes-version.ts';

type Provider = GardenerSchemas['DNSProvider'];

/** The domain of the Shoot, unless Gardener decides. It cannot change. */
export const dns: Extender = (input) => {
  const { converter } = input.configuration;
  if (!usesOwnDns(converter.dns)) return {};
  const domain = domainOf(input.spec.shoot.name, converter.dns);
  return { spec: { dns: { domain, providers: [providerOf(input, domain, wantedVersion(input))] } } };
};

/** The domain of the Shoot stays; its provider only where it has one, and only if it has other credentials. */
export const patchDns: Extender<PatchInput> = (input) => {
  const { converter } = input.configuration;
  const live = input.live.spec?.dns;
  const [first] = live?.providers ?? [];
  if (!usesOwnDns(converter.dns) || live?.domain === undefined || first === undefined) return {};
  const version = newerVersion(wantedVersion(input), input.live.spec?.kubernetes.version);
  const provider = providerOf(input, live.domain, version);
  if (isSame(first, provider)) return {};
  return { spec: { dns: { ...live, providers: [provider] } } };
};

/** The first version of Kubernetes for which Gardener refuses the older name. Older Gardeners know only that. */
const WITHOUT_SECRET_NAME = '1.35';

function providerOf({ configuration }: RenderingInput, domain: string, version: string): Provider {
  const { secretName, providerType: type } = configuration.converter.dns;
  const isOld = (compareVersions(version, WITHOUT_SECRET_NAME) ?? -1) < 0;
  return {
    domains: { include: [domain] },
    primary: true,
    type,
    credentialsRef: { apiVersion: 'v1', kind: 'Secret', name: secretName },
    // Gardener sets it too, as long as it is possible.
    ...(isOld ? { secretName } : {}),
  };
}

/** Gardener itself writes the credentials by both names. */
function isSame(live: Provider, wanted: Provider): boolean {
  const nameOf = ({ credentialsRef, secretName }: Provider) => credentialsRef?.name ?? secretName;
  const isTooOld = live.secretName !== undefined && wanted.secretName === undefined;
  return live.type === wanted.type && nameOf(live) === nameOf(wanted) && !isTooOld;
}

/** The extensions of Gardener in a Shoot: the list of a new one, what a patch changes, and each extension. */
import type { ExtensionSchemas, GardenerSchemas, Shoot } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual, valueAt } from '../../../framework/base/index.ts';
import type { AuditTenant } from '../configuration/configuration.ts';
import {
  AUDIT_CREDENTIALS,
  type CacheOfRuntime,
  cachesOf,
  domainOf,
  type Extender,
  type PatchInput,
  RenderingError,
  type RenderingInput,
  rawDocument,
  secretOf,
  usesOwnDns,
} from './model/extender.ts';

/** The extensions of a new Shoot. It gets caches of registries later, when their credentials can be copied. */
export const createExtensions: Extender = (input) => {
  const all = [
    input.networkRestriction ? networkingFilter(input) : undefined,
    certService(),
    dnsService(input),
    oidcService(),
    input.audit === undefined ? undefined : auditlogService(input.audit),
    accessControl(input),
    nvidiaOpenshell(input),
  ];
  return { spec: { extensions: all.filter((each) => each !== undefined) } };
};

/** A change of the list; the identity if nothing changes. */
type Change = (list: readonly Extension[]) => readonly Extension[];

/** The extensions of the Shoot in their order, with those of the Runtime as they should be; new ones last. */
export const patchExtensions: Extender<PatchInput> = (input) => {
  const live = input.live.spec?.extensions ?? [];
  const changes: readonly Change[] = [
    place(patchedAuditlog(input, live)),
    place(input.networkRestriction ? networkingFilter(input) : undefined),
    place(patchedDnsService(input, live)),
    input.keepsCaches ? keep : placeOr(registryCache(input), remove(REGISTRY_CACHE)),
    placeOr(accessControl(input), disable(ACCESS_CONTROL)),
    placeOr(nvidiaOpenshell(input), disable(NVIDIA_OPENSHELL)),
  ];
  return {
    spec: { extensions: [...changes.reduce<readonly Extension[]>((list, change) => change(list), live)] },
  };
};

const find = (list: readonly Extension[], wanted: string) => list.find(({ type }) => type === wanted);

const keep: Change = (list) => list;

/** Replaces the extension in its place, or appends it; undefined: nothing changes. */
const place = (extension: Extension | undefined): Change => placeOr(extension, keep);

const placeOr = (extension: Extension | undefined, otherwise: Change): Change =>
  extension === undefined
    ? otherwise
    : (list) =>
        find(list, extension.type) === undefined
          ? [...list, extension]
          : list.map((each) => (each.type === extension.type ? extension : each));

const remove =
  (wanted: string): Change =>
  (list) =>
    list.filter(({ type }) => type !== wanted);

/** Without its configuration, so that nothing of it counts when others enable it. */
const disable =
  (wanted: string): Change =>
  (list) =>
    list.map((each) => (each.type === wanted ? { type: wanted, disabled: true } : each));

/** Undefined: nothing changes. Without a tenant, audit logs go on as they do. */
function patchedAuditlog({ audit }: PatchInput, live: readonly Extension[]): Extension | undefined {
  if (audit === undefined) return undefined;
  const wanted = auditlogService(audit);
  const found = find(live, wanted.type);
  return found !== undefined && jsonEqual(found.providerConfig, wanted.providerConfig) ? undefined : wanted;
}

/** Undefined: nothing changes, as for a Shoot that was created without a provider, which it must not get. */
function patchedDnsService(input: PatchInput, live: readonly Extension[]): Extension | undefined {
  const wanted = dnsService(input);
  const found = find(live, wanted.type)?.providerConfig;
  if (found === undefined) return wanted;
  const providers = valueAt(found, ['providers']);
  const isEmpty = !Array.isArray(providers) || providers.length === 0;
  return isEmpty || jsonEqual(found, wanted.providerConfig) ? undefined : wanted;
}

/** An extension of Gardener in a Shoot. */
export type Extension = GardenerSchemas['Extension'];

const ACCESS_CONTROL = 'acl';

/** They are in the Shoot and in the runtime, as YAML. */
const MAX_RANGES = 5000;

/** Providers whose load balancers show the address of the client. */
const PROVIDERS: ReadonlySet<string> = new Set(['aws', 'azure']);

/** Whether the Runtime says who may connect to its API server. */
export const hasAccessControl = ({ spec: { shoot } }: Pick<RenderingInput, 'spec'>): boolean =>
  PROVIDERS.has(shoot.provider.type) && (shoot.kubernetes?.kubeAPIServer?.acl?.allowedCIDRs ?? []).length > 0;

/** Only the ranges of the Runtime, of operators and of the control plane may connect; undefined: all may. */
function accessControl(input: RenderingInput): Extension | undefined {
  const { spec, accessControl: always } = input;
  if (!hasAccessControl(input)) return undefined;
  const { allowedCIDRs = [] } = spec.shoot.kubernetes?.kubeAPIServer?.acl ?? {};
  if (allowedCIDRs.length > MAX_RANGES)
    throw new RenderingError(
      'spec.shoot.kubernetes.kubeAPIServer.acl.allowedCIDRs',
      `there may be at most ${MAX_RANGES} ranges`,
    );
  if (always === undefined) return undefined;
  const cidrs = [...allowedCIDRs, ...always.operators, always.controlPlane];
  const config: ExtensionSchemas['AccessControlConfig'] = {
    rule: { action: 'ALLOW', cidrs, type: 'remote_ip' },
  };
  return { type: ACCESS_CONTROL, disabled: false, providerConfig: rawDocument(config) };
}

/** Sends audit logs of the API server to the tenant. */
function auditlogService({ tenantID, serviceURL }: AuditTenant): Extension {
  const config: ExtensionSchemas['AuditlogConfig'] = {
    apiVersion: 'service.auditlog.extensions.gardener.cloud/v1alpha1',
    kind: 'AuditlogConfig',
    type: 'standard',
    tenantID,
    serviceURL,
    secretReferenceName: AUDIT_CREDENTIALS,
  };
  return { type: 'shoot-auditlog-service', providerConfig: rawDocument(config) };
}

const config: ExtensionSchemas['CertConfig'] = {
  apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
  kind: 'CertConfig',
  shootIssuers: { enabled: true },
};

/** Issues certificates. */
const certService = (): Extension => ({
  type: 'shoot-cert-service',
  providerConfig: rawDocument(config),
});

/** Writes DNS records for services. */
const dnsService = (input: RenderingInput): Extension => ({
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

const blackholing: ExtensionSchemas['NetworkFilterConfig'] = { egressFilter: { blackholingEnabled: true } };

/** Filters traffic of nodes to known malicious addresses; incoming traffic only together with outgoing traffic. */
function networkingFilter({ spec }: RenderingInput): Extension {
  const { egress, ingress } = spec.security.networking.filter;
  const type = 'shoot-networking-filter';
  if (!egress.enabled) return { type, disabled: true };
  if (ingress?.enabled !== true) return { type, disabled: false };
  return { type, disabled: false, providerConfig: rawDocument(blackholing) };
}

const NVIDIA_OPENSHELL = 'shoot-nvidia-openshell';

/** Sandboxes for agents on nodes with GPUs; undefined: the Runtime does not ask for them. */
const nvidiaOpenshell = ({ spec: { shoot } }: RenderingInput): Extension | undefined =>
  shoot.enableNvidiaOpenshell === true ? { type: NVIDIA_OPENSHELL, disabled: false } : undefined;

/** Lets the runtime trust further issuers of tokens. */
const oidcService = (): Extension => ({ type: 'shoot-oidc-service', disabled: false });

const REGISTRY_CACHE = 'registry-cache';

/** Of the Shoot, as Gardener has them; undefined: it has none. */
export const cachesOfShoot = ({ spec }: Shoot): unknown => {
  const found = find(spec?.extensions ?? [], REGISTRY_CACHE);
  return found === undefined ? undefined : valueAt(found.providerConfig, ['caches']);
};

/** Caches of image registries inside of the runtime; undefined: it has none. */
function registryCache(input: PatchInput): Extension | undefined {
  const caches = cachesOf(input);
  if (caches.length === 0) return undefined;
  const config: ExtensionSchemas['RegistryConfig'] = {
    apiVersion: 'registry.extensions.gardener.cloud/v1alpha3',
    kind: 'RegistryConfig',
    caches: caches.map((cache) => cacheOf(cache, secretOf(cache, input))),
  };
  return { type: REGISTRY_CACHE, providerConfig: rawDocument(config), disabled: false };
}

/** Field by field: the Runtime has further ones, which the extension does not know. */
function cacheOf({ config }: CacheOfRuntime, secret: string | undefined): ExtensionSchemas['RegistryCache'] {
  const { upstream, remoteURL, volume, garbageCollection, proxy } = config;
  const { size, storageClassName } = volume ?? {};
  const { httpProxy, httpsProxy } = proxy ?? {};
  return {
    upstream,
    ...(remoteURL ? { remoteURL } : {}),
    ...(volume === undefined
      ? {}
      : {
          volume: {
            ...(size === undefined ? {} : { size: String(size) }),
            ...(storageClassName ? { storageClassName } : {}),
          },
        }),
    // The CRD has a default for it.
    ...(garbageCollection?.ttl === undefined ? {} : { garbageCollection: { ttl: garbageCollection.ttl } }),
    ...(secret === undefined ? {} : { secretReferenceName: secret }),
    ...(proxy === undefined
      ? {}
      : { proxy: { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}) } }),
  };
}

import type { GardenerSchemas, Shoot, ShootSpec } from '../../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { cutText, isObject, ProviderError } from '../../../../framework/base/index.ts';
import { visible } from '../../../../framework/base/text/redact.ts';
import type {
  AuditTenant,
  Configuration,
  ConverterConfiguration,
} from '../../configuration/configuration.ts';

/** Ranges of addresses that may connect to each API server with an access control list. */
export interface AccessControl {
  readonly operators: readonly string[];
  /** Of the control plane. */
  readonly controlPlane: string;
}

/** All that a Shoot is rendered from. Nothing of it is changed. */
export interface RenderingInput {
  readonly runtime: Runtime;
  /** Of the Runtime. */
  readonly spec: RuntimeSpec;
  readonly configuration: Configuration;
  /** Undefined: no audit logs. */
  readonly audit: AuditTenant | undefined;
  /** Whether Shoots have the extension that filters traffic; if not, that of a Shoot stays as it is. */
  readonly networkRestriction: boolean;
  /** Whether pods can mount ClusterTrustBundles. */
  readonly clusterTrustBundles: boolean;
  /** Who may always connect to API servers. Undefined: access control lists are not enabled. */
  readonly accessControl: AccessControl | undefined;
  /** Secrets in the project with the credentials of registry caches, by the uid of the cache. */
  readonly cacheSecrets: ReadonlyMap<string, string>;
  /** The Shoot keeps its registry caches, whatever the Runtime has. */
  readonly keepsCaches: boolean;
}

/** What a Shoot is rendered from beside the Runtime and the configuration. Default: none of it. */
export type RenderingFacts = {
  readonly [Fact in 'audit' | 'accessControl' | 'cacheSecrets' | 'keepsCaches']?:
    | RenderingInput[Fact]
    | undefined;
};

/** The same for a Shoot that exists. */
export interface PatchInput extends RenderingInput {
  readonly live: Shoot;
}

/** The fields that one extender sets. */
export interface ShootPart {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<Omit<ShootSpec, 'kubernetes'>>;
  readonly kubernetesVersion?: string;
  /** Joined with the ranges of the Runtime. */
  readonly networking?: Partial<GardenerSchemas['Networking']>;
  readonly kubeAPIServer?: GardenerSchemas['KubeAPIServerConfig'];
  readonly kubelet?: GardenerSchemas['KubeletConfig'];
}

/** Sets a part of the Shoot, by one rule. @throws RenderingError */
export type Extender<Input extends RenderingInput = RenderingInput> = (input: Input) => ShootPart;

/** The Shoot with a further part. A later part wins for a field of the spec; fields of the API server are joined. */
export function extend(shoot: Shoot & { spec: ShootSpec }, part: ShootPart): Shoot & { spec: ShootSpec } {
  const { annotations, labels, spec, kubernetesVersion: version, kubeAPIServer, kubelet, networking } = part;
  const { metadata, spec: before } = shoot;
  const server = { ...before.kubernetes.kubeAPIServer, ...kubeAPIServer };
  return {
    ...shoot,
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
    },
    spec: {
      ...before,
      ...spec,
      ...(networking === undefined ? {} : { networking: { ...before.networking, ...networking } }),
      kubernetes: {
        ...before.kubernetes,
        ...(version === undefined ? {} : { version }),
        ...(Object.keys(server).length === 0 ? {} : { kubeAPIServer: server }),
        ...(kubelet === undefined ? {} : { kubelet: { ...before.kubernetes.kubelet, ...kubelet } }),
      },
    },
  };
}

/** A field from which no Shoot can be made. It does not pass until the field changes. */
export class RenderingError extends ProviderError {
  /** @param field its path, such as `spec.shoot.networking.nodes`, and of which object unless of the Runtime */
  constructor(field: string, problem: string) {
    super('terminal', `${field}: ${problem}`);
  }
}

const MAX_QUOTED = 64;

/** A value of a tenant as part of a message. */
export const quoted = (value: string): string => `"${visible(cutText(value, MAX_QUOTED))}"`;

export type CacheOfRuntime = NonNullable<RuntimeSpec['imageRegistryCache']>[number];

/** Begins the names of the Secrets with the credentials of registry caches in the project, and of references to them. */
export const CACHE_SECRET_PREFIX = 'reg-cache-';

/** The caches of the Runtime. Before 1.41 the field was an object: then there are none. */
export const cachesOf = ({ spec }: Pick<RenderingInput, 'spec'>): readonly CacheOfRuntime[] =>
  Array.isArray(spec.imageRegistryCache) ? spec.imageRegistryCache : [];

/** The Secret in the project with the credentials of the cache; undefined: it needs none, or there is none yet. */
export const secretOf = (
  { uid, config }: CacheOfRuntime,
  { cacheSecrets }: Pick<RenderingInput, 'cacheSecrets'>,
): string | undefined => (config.secretReferenceName ? cacheSecrets.get(uid) : undefined);

/** Providers whose networks can have both families. */
const PROVIDERS: ReadonlySet<string> = new Set(['aws', 'gcp']);

/** Whether a new Shoot has addresses of IPv4 and IPv6. */
export const usesDualStack = ({ spec: { shoot }, configuration }: RenderingInput): boolean =>
  shoot.networking.dualStack === true &&
  configuration.converter.networking.enableDualStackIP &&
  PROVIDERS.has(shoot.provider.type);

/** Entry of `spec.resources` of a Shoot with the credentials of the audit log service. */
export const AUDIT_CREDENTIALS = 'auditlog-credentials';

type Dns = ConverterConfiguration['converter']['dns'];

/** Whether Shoots have a domain of the installation; else one of Gardener. */
export const usesOwnDns = ({ secretName, domainPrefix, providerType }: Dns): boolean =>
  secretName !== '' || domainPrefix !== '' || providerType !== '';

export const domainOf = (shoot: string, { domainPrefix }: Dns): string => `${shoot}.${domainPrefix}`;

/** A document inside of a Shoot that an extension of Gardener defines. */
export type RawDocument = Record<string, unknown>;

/**
 * The document with the keys of all objects sorted. Gardener compares such documents as bytes, and server-side apply sorts their
 * keys: in another order, the first patch after the creation would be a change.
 */
export function rawDocument(document: object): RawDocument {
  const members = Object.entries(document).filter(([, value]) => value !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, value]) => [key, sorted(value)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value) ? rawDocument(value) : value;
}

/** Renders the Shoot of a Runtime, by a chain of extenders. */
import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { createLruCache, textBytes } from '../../../framework/base/collections/lru-cache.ts';
import { cloneJson, cutText, ownMember, ProviderError } from '../../../framework/base/index.ts';
import { kubernetesYaml } from '../../../framework/base/text/kubernetes-yaml.ts';
import { visible } from '../../../framework/base/text/redact.ts';
import type { ConfigMap } from '../../../framework/kube/index.ts';
import type {
  AuditTenant,
  AuditTenants,
  Configuration,
  OidcProvider,
} from '../configuration/configuration.ts';
import { authenticationConfigName, labels } from '../metadata.ts';
import {
  accessRestrictions,
  accountLabels,
  annotations,
  auditPolicy,
  authentication,
  cloudProfile,
  createKubernetesVersion,
  createResources,
  credentials,
  dns,
  exposureClass,
  featureGates,
  maintenance,
  networking,
  patchAuthentication,
  patchCloudProfile,
  patchCredentials,
  patchDns,
  patchKubernetesVersion,
  patchResources,
  seedSelector,
  tokenExpiration,
  tolerations,
} from './extenders.ts';
import { createExtensions, hasAccessControl, patchExtensions } from './extensions.ts';
import {
  type Extender,
  extend,
  type PatchInput,
  RenderingError,
  type RenderingFacts,
  type RenderingInput,
} from './model/extender.ts';
import { createProvider, patchProvider } from './provider/provider.ts';

/** A Shoot is stored as one entry, of one and a half mebibytes at most, with its status and managed fields. */
const MAX_BYTES = 1.25 * 2 ** 20;

export interface RenderingOptions {
  /** Whether Shoots have the extension that filters traffic. Default true. */
  readonly networkRestriction?: boolean;
  /** Whether clusters have ClusterTrustBundles that pods can mount. Default false. */
  readonly clusterTrustBundles?: boolean;
}

/** A configuration that changes. */
export interface CurrentConfiguration {
  current(): Configuration;
  /** Grows with each change. */
  revision(): number;
}

export type ShootRendering = ReturnType<typeof createShootRendering>;

/**
 * Renders Shoots as the configuration says, or as one says that is current at each call. The functions are pure, and change none of
 * their arguments.
 */
export function createShootRendering(
  source: Configuration | CurrentConfiguration,
  { networkRestriction = true, clusterTrustBundles = false }: RenderingOptions = {},
) {
  const { current, revision }: CurrentConfiguration =
    'current' in source ? source : { current: () => source, revision: () => 0 };
  const inputOf = (
    runtime: Runtime,
    { audit, accessControl, cacheSecrets = new Map(), keepsCaches = false }: RenderingFacts = {},
  ): RenderingInput => ({
    runtime,
    spec: specOf(runtime),
    configuration: current(),
    networkRestriction,
    clusterTrustBundles,
    audit,
    accessControl,
    cacheSecrets,
    keepsCaches,
  });
  return {
    /** What the configuration has for provider and region; a text: why it has nothing. */
    auditData: (runtime: Runtime) => {
      const { provider, region } = specOf(runtime).shoot;
      return findAuditTenant(current().auditTenants, provider.type, region);
    },
    /** The Shoot to create. @throws if the Runtime cannot be rendered */
    create: (runtime: Runtime, facts?: RenderingFacts): Shoot =>
      render(inputOf(runtime, facts), createExtenders),
    /** The fields of the existing Shoot that follow the Runtime. @throws as `create` */
    patch: (runtime: Runtime, live: Shoot, facts?: RenderingFacts): Shoot =>
      render({ ...inputOf(runtime, facts), live }, patchExtenders),
    /** Whether the Shoot has an access control list if these are enabled. @throws if the Runtime has no spec */
    needsAccessControl: (runtime: Runtime): boolean => hasAccessControl({ spec: specOf(runtime) }),
    /** The ConfigMap with the ranges of all access control lists; empty: the configuration names none. */
    accessControlName: (): string => current().converter.kubernetes.kubeApiServer.acl.configMapName,
    /** Issuers that the runtime trusts beside that of its API server. */
    openIdConnects: (runtime: Runtime): readonly OpenIdConnectSpec[] => openIdConnects(inputOf(runtime)),
    /** Differs when the configuration differs. */
    revision,
    /** The ConfigMap with the authentication configuration of the Shoot. */
    authenticationConfig: (runtime: Runtime): ConfigMap => authenticationConfig(inputOf(runtime)),
  };
}

function specOf({ spec }: Runtime): RuntimeSpec {
  if (spec === undefined) throw new RenderingError('spec', 'it is required');
  return spec;
}

function render<Input extends RenderingInput>(input: Input, extenders: readonly Extender<Input>[]): Shoot {
  assertRequiredLabels(input.runtime);
  const rendered = extenders.reduce((shoot, extender) => extend(shoot, extender(input)), baseOf(input));
  // It shares nothing with the arguments, so that a caller may change it.
  const shoot = cloneJson(rendered);
  if (Buffer.byteLength(JSON.stringify(shoot)) > MAX_BYTES)
    throw new RenderingError('spec.shoot', `the Shoot would have more than ${MAX_BYTES} bytes`);
  return shoot;
}

/** What is copied as it is. */
function baseOf({ spec: { shoot }, configuration }: RenderingInput): Shoot & { spec: ShootSpec } {
  const { name, purpose, region, networking, controlPlane, provider } = shoot;
  const { type, nodes, pods, services } = networking;
  return {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: { name, namespace: `garden-${configuration.converter.gardener.projectName}` },
    spec: {
      purpose,
      region,
      networking: { ...(type === undefined ? {} : { type }), nodes, pods, services },
      ...(controlPlane === undefined ? {} : { controlPlane }),
      kubernetes: {},
      provider: { type: provider.type },
    },
  };
}

const always: readonly Extender[] = [
  annotations,
  accountLabels,
  seedSelector,
  exposureClass,
  accessRestrictions,
  featureGates,
];

/** Of a new Shoot, in this order. */
const createExtenders: readonly Extender[] = [
  ...always,
  authentication,
  cloudProfile,
  credentials,
  createProvider,
  tolerations,
  dns,
  createExtensions,
  createKubernetesVersion,
  maintenance,
  createResources,
  auditPolicy,
  tokenExpiration,
  networking,
];

/** Of a Shoot that exists. Tolerations, families of addresses and lifetimes of tokens stay as its creation has set them. */
const patchExtenders: readonly Extender<PatchInput>[] = [
  ...always,
  patchAuthentication,
  patchCloudProfile,
  patchCredentials,
  patchProvider,
  patchDns,
  patchExtensions,
  patchResources,
  patchKubernetesVersion,
  maintenance,
  auditPolicy,
];

/** In the order in which missing ones are reported. */
const REQUIRED = [
  labels.instanceId,
  labels.runtimeId,
  labels.region,
  labels.kymaName,
  labels.brokerPlanId,
  labels.brokerPlanName,
  labels.globalAccountId,
  labels.subaccountId,
];

/** The beginning of the message about labels that are missing. */
export const missingLabels = 'missing required label';

/** @throws a `terminal` error that names all labels that are missing or empty */
function assertRequiredLabels({ metadata }: Runtime): void {
  const missing = REQUIRED.filter((label) => !ownMember(metadata.labels, label));
  if (missing.length === 0) return;
  throw new ProviderError(
    'terminal',
    `${missingLabels}${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`,
  );
}

/** An issuer of tokens that the webhook of the extension shoot-oidc-service trusts. */
export interface OpenIdConnectSpec {
  readonly issuerURL: string;
  readonly clientID: string;
  readonly usernameClaim?: string;
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
  readonly supportedSigningAlgs?: readonly string[];
  /** `keys`: base64 of a JSON Web Key Set. */
  readonly jwks?: { readonly keys: string };
}

/**
 * The issuers that a runtime trusts beside that of its API server: those of the Runtime that have issuer and client, or that of the
 * configuration if it says none. An empty list says that there is none.
 */
function openIdConnects({
  spec: { shoot },
  configuration,
}: Pick<RenderingInput, 'spec' | 'configuration'>): OpenIdConnectSpec[] {
  const { additionalOidcConfig } = shoot.kubernetes?.kubeAPIServer ?? {};
  if (additionalOidcConfig?.length === 0) return [];
  const own = (additionalOidcConfig ?? []).flatMap((issuer) => openIdConnectOf(issuer) ?? []);
  const shared = openIdConnectOf(configuration.cluster.defaultSharedIASTenant);
  return own.length > 0 || shared === undefined ? own : [shared];
}

type Issuer = NonNullable<
  NonNullable<
    NonNullable<RenderingInput['spec']['shoot']['kubernetes']>['kubeAPIServer']
  >['additionalOidcConfig']
>[number];

/** Undefined without issuer or client. */
function openIdConnectOf(issuer: Issuer | OidcProvider): OpenIdConnectSpec | undefined {
  const { issuerURL, clientID, usernameClaim, usernamePrefix, groupsClaim, signingAlgs } = issuer;
  const { groupsPrefix, requiredClaims, jwks }: Issuer = issuer as Issuer;
  if (!issuerURL || !clientID) return undefined;
  return {
    issuerURL,
    clientID,
    ...(usernameClaim === undefined ? {} : { usernameClaim }),
    ...(usernamePrefix === undefined ? {} : { usernamePrefix }),
    ...(groupsClaim === undefined ? {} : { groupsClaim }),
    ...(groupsPrefix === undefined ? {} : { groupsPrefix }),
    ...(requiredClaims === undefined ? {} : { requiredClaims }),
    ...(signingAlgs === undefined ? {} : { supportedSigningAlgs: [...signingAlgs] }),
    ...(jwks === undefined ? {} : { jwks: { keys: jwks } }),
  };
}

const MISSING = 'audit logs configuration not found';

/** A name that a tenant writes, for messages. */
const quoted = (name: string): string => `'${visible(cutText(name, 64))}'`;

/** The tenant of a region, or why there is none. */
function findAuditTenant(
  tenants: AuditTenants,
  providerType: string,
  region: string,
): { readonly data: AuditTenant } | { readonly missing: string } {
  const ofProvider = tenants.get(providerType);
  if (ofProvider === undefined)
    return { missing: `${MISSING}: missing providerType: ${quoted(providerType)}` };
  const data = ofProvider.get(region);
  if (data !== undefined) return { data };
  return {
    missing: `${MISSING}: missing region: ${quoted(region)} for providerType: ${quoted(providerType)}`,
  };
}

/** Writing the document takes a second for some ten thousand. */
const MAX_CLAIMS = 1000;

/**
 * The ConfigMap with the authentication configuration of the Shoot, a document of the API server of Kubernetes. The issuer of the
 * Runtime counts only if it has an audience too. Fields that are missing mean what they mean as flags of the API server; its
 * algorithms do not count, since the document has no field for them.
 *
 * @throws RenderingError
 */
function authenticationConfig({ spec: { shoot }, configuration }: RenderingInput): ConfigMap {
  const { gardener, kubernetes } = configuration.converter;
  const own = shoot.kubernetes?.kubeAPIServer?.oidcConfig;
  const oidc: OidcConfig = own?.issuerURL && own.clientID ? own : kubernetes.defaultOperatorOidc;
  const { issuerURL: url = '', clientID = '', caBundle, groupsClaim, groupsPrefix = '' } = oidc;
  const claims = Object.entries(oidc.requiredClaims ?? {});
  if (claims.length > MAX_CLAIMS)
    throw new RenderingError(
      'spec.shoot.kubernetes.kubeAPIServer.oidcConfig.requiredClaims',
      `there may be at most ${MAX_CLAIMS} claims`,
    );
  const rules = claims.map(([claim, requiredValue]) => ({ claim, requiredValue }));
  const document = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    jwt: [
      {
        claimMappings: {
          // The API server does not start with a claim that has no prefix.
          ...(groupsClaim ? { groups: { claim: groupsClaim, prefix: groupsPrefix } } : {}),
          username: usernameOf(oidc),
        },
        ...(rules.length === 0 ? {} : { claimValidationRules: rules }),
        issuer: {
          audiences: [clientID],
          ...(caBundle ? { certificateAuthority: caBundle } : {}),
          url,
        },
      },
    ],
    kind: 'AuthenticationConfiguration',
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: `garden-${gardener.projectName}`, name: authenticationConfigName(shoot.name) },
    data: { 'config.yaml': yamlOf(document) },
  };
}

/** Memory for the documents of some issuers, in bytes. Most Runtimes have that of the configuration. */
const MAX_DOCUMENT_BYTES = 1024 * 1024;
const documents = createLruCache<string, string>({
  maxBytes: MAX_DOCUMENT_BYTES,
  bytesOf: (yaml) => textBytes(yaml),
});

/** Writing the document takes longer than the rendering of the Shoot, so it is written once for each issuer. */
function yamlOf(document: object): string {
  const key = JSON.stringify(document);
  const known = documents.get(key);
  if (known !== undefined) return known;
  const yaml = kubernetesYaml(document, { indentSeq: false, lineWidth: 0 });
  documents.set(key, yaml);
  return yaml;
}

type KubeAPIServer = NonNullable<NonNullable<RenderingInput['spec']['shoot']['kubernetes']>['kubeAPIServer']>;
type OidcConfig = Omit<NonNullable<KubeAPIServer['oidcConfig']>, 'signingAlgs'>;

/** As of the flags `--oidc-username-claim` and `--oidc-username-prefix`. */
function usernameOf({ issuerURL = '', usernameClaim, usernamePrefix }: OidcConfig) {
  const claim = usernameClaim || 'sub';
  if (usernamePrefix) return { claim, prefix: usernamePrefix === '-' ? '' : usernamePrefix };
  return { claim, prefix: claim === 'email' ? '' : `${issuerURL}#` };
}

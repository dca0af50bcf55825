import type { OidcProvider } from '../configuration/configuration.ts';
import type { OpenIdConnectSpec } from '../runtime/cluster/kinds.ts';
import type { RenderingInput } from './model/extender.ts';

/**
 * The issuers that a runtime trusts beside that of its API server: those of the Runtime that have issuer and client, or that of the
 * configuration if it says none. An empty list says that there is none.
 */
export function openIdConnects({
  spec: { shoot },
  configuration,
}: Pick<RenderingInput, 'spec' | 'configuration'>): OpenIdConnectSpec[] {
  const { additionalOidcConfig } = shoot.kubernetes?.kubeAPIServer ?? {};
  if (additionalOidcConfig?.length === 0) return [];
  const own = (additionalOidcConfig ?? []).flatMap((issuer) => specOf(issuer) ?? []);
  const shared = specOf(configuration.cluster.defaultSharedIASTenant);
  return own.length > 0 || shared === undefined ? own : [shared];
}

type Issuer = NonNullable<
  NonNullable<
    NonNullable<RenderingInput['spec']['shoot']['kubernetes']>['kubeAPIServer']
  >['additionalOidcConfig']
>[number];

/** Undefined without issuer or client. */
function specOf(issuer: Issuer | OidcProvider): OpenIdConnectSpec | undefined {
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

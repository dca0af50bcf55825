import { authenticationConfigName } from '../../shoot-metadata.ts';
import type { Extender, PatchInput } from '../model/extender.ts';
import { present } from '../model/present.ts';
import { compareVersions } from '../model/version.ts';

/** Who issues tokens of users: in a ConfigMap, or in fields that Gardener accepts up to Kubernetes 1.31. */
export const authentication: Extender = ({ spec: { shoot }, configuration, structuredAuth }) => {
  if (structuredAuth) {
    const configMapName = authenticationConfigName(shoot.name);
    return { kubeAPIServer: { structuredAuthentication: { configMapName } } };
  }
  const own = shoot.kubernetes?.kubeAPIServer?.oidcConfig ?? {};
  if (own.clientID === undefined && own.issuerURL === undefined) {
    const { clientID, groupsClaim, issuerURL, signingAlgs, usernameClaim, usernamePrefix } =
      configuration.converter.kubernetes.defaultOperatorOidc;
    const oidcConfig = { clientID, groupsClaim, issuerURL, usernameClaim, usernamePrefix };
    return { kubeAPIServer: { oidcConfig: { ...oidcConfig, signingAlgs: [...signingAlgs] } } };
  }
  const { clientAuthentication: _, ...oidcConfig } = own;
  return { kubeAPIServer: { oidcConfig: present(oidcConfig) } };
};

/** The first version of Kubernetes for which Gardener refuses fields for authentication, and removes them in its maintenance. */
const WITHOUT_OIDC_CONFIG = '1.32';

/** A Shoot whose owner, or Gardener, has moved it away from these fields keeps what it has: Gardener refuses to set them again. */
export const patchAuthentication: Extender<PatchInput> = (input) => {
  const { kubernetes } = input.live.spec ?? {};
  const configMapName = kubernetes?.kubeAPIServer?.structuredAuthentication?.configMapName;
  const isOfOwner =
    configMapName !== undefined && configMapName !== authenticationConfigName(input.spec.shoot.name);
  const isTooNew = (compareVersions(kubernetes?.version ?? '', WITHOUT_OIDC_CONFIG) ?? -1) >= 0;
  return !input.structuredAuth && (isOfOwner || isTooNew) ? {} : authentication(input);
};

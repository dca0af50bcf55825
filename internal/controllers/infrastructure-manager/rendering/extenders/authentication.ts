import type { Extender } from '../model/extender.ts';
import { present } from '../model/present.ts';

/** Name of the ConfigMap with the authentication configuration of a Shoot. */
export const authenticationConfigName = (shoot: string): string => `structured-auth-config-${shoot}`;

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

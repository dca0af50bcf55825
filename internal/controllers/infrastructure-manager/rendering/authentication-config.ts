import { stringify } from 'yaml';
import type { ConfigMap } from '../../../kube/index.ts';
import { authenticationConfigName } from './extenders/authentication.ts';
import type { RenderingInput } from './model/extender.ts';

/**
 * The ConfigMap with the authentication configuration of the Shoot, a document of the API server of Kubernetes. The issuer of the
 * Runtime counts only if it has an audience too. Its algorithms, required claims and certificates do not.
 */
export function authenticationConfig({ spec: { shoot }, configuration }: RenderingInput): ConfigMap {
  const { gardener, kubernetes } = configuration.converter;
  const own = shoot.kubernetes?.kubeAPIServer?.oidcConfig;
  const { issuerURL, clientID, usernameClaim, usernamePrefix, groupsClaim, groupsPrefix } =
    own?.issuerURL && own.clientID ? own : { ...kubernetes.defaultOperatorOidc, groupsPrefix: undefined };
  const username = {
    claim: usernameClaim ?? '',
    ...(usernamePrefix === undefined ? {} : { prefix: usernamePrefix }),
  };
  const document = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    jwt: [
      {
        claimMappings: {
          // Gardener refuses a claim without a prefix.
          groups: { claim: groupsClaim ?? '', prefix: groupsPrefix ?? '' },
          username,
        },
        issuer: { audiences: [clientID ?? ''], url: issuerURL ?? '' },
      },
    ],
    kind: 'AuthenticationConfiguration',
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: `garden-${gardener.projectName}`, name: authenticationConfigName(shoot.name) },
    data: { 'config.yaml': stringify(document, { indentSeq: false, lineWidth: 0 }) },
  };
}

import { createLruCache, textBytes } from '../../../framework/base/collections/lru-cache.ts';
import { kubernetesYaml } from '../../../framework/base/text/kubernetes-yaml.ts';
import type { ConfigMap } from '../../../framework/kube/index.ts';
import { authenticationConfigName } from '../metadata.ts';
import { RenderingError, type RenderingInput } from './model/extender.ts';

/** Writing the document takes a second for some ten thousand. */
const MAX_CLAIMS = 1000;

/**
 * The ConfigMap with the authentication configuration of the Shoot, a document of the API server of Kubernetes. The issuer of the
 * Runtime counts only if it has an audience too. Fields that are missing mean what they mean as flags of the API server; its
 * algorithms do not count, since the document has no field for them.
 *
 * @throws RenderingError
 */
export function authenticationConfig({ spec: { shoot }, configuration }: RenderingInput): ConfigMap {
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
const MAX_BYTES = 1024 * 1024;
const documents = createLruCache<string, string>({ maxBytes: MAX_BYTES, bytesOf: (yaml) => textBytes(yaml) });

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

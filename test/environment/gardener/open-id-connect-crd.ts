import type { Crd } from '../install-crds.ts';

const text = { type: 'string' };

/** OpenIDConnects as the extension shoot-oidc-service installs them into runtimes, with the defaults of its schema. */
export const openIdConnectCrd: Crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'openidconnects.authentication.gardener.cloud' },
  spec: {
    group: 'authentication.gardener.cloud',
    scope: 'Cluster',
    names: { kind: 'OpenIDConnect', plural: 'openidconnects', singular: 'openidconnect' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['clientID', 'issuerURL'],
                properties: {
                  issuerURL: text,
                  clientID: text,
                  usernameClaim: { ...text, default: 'sub' },
                  usernamePrefix: text,
                  groupsClaim: { ...text, default: 'groups' },
                  groupsPrefix: text,
                  requiredClaims: { type: 'object', additionalProperties: text },
                  supportedSigningAlgs: { type: 'array', items: text, default: ['RS256'] },
                  jwks: { type: 'object', properties: { keys: { ...text, format: 'byte' } } },
                },
              },
            },
          },
        },
      },
    ],
  },
} as unknown as Crd;

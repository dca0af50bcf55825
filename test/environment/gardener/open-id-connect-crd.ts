import { openIdConnectType } from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { crdOf } from '../crd-of.ts';

const text = { type: 'string' };

/** OpenIDConnects as the extension shoot-oidc-service installs them into runtimes, with the defaults of its schema. */
export const openIdConnectCrd = crdOf(openIdConnectType, {
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
});

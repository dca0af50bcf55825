import type { ExternalNames } from '../mapping/identity/mapping-identity.ts';

/** In characters. The status fields that record its parts have this limit. */
const maxLength = 1024;

/** `{serviceInstanceID}/{clusterID}/{namespace}`. A cluster ID may contain slashes. */
export const kymaNames: ExternalNames = {
  form: 'serviceInstanceID/clusterID/namespace',
  // Only mappings of other clients have no namespace; their names are not recorded.
  format: ({ serviceInstanceID, primaryID, secondaryID = '' }) =>
    `${serviceInstanceID}/${primaryID}/${secondaryID}`,
  parse: (externalName) => {
    if (externalName.length > maxLength) return undefined;
    const parts = externalName.split('/');
    const serviceInstanceID = parts[0] ?? '';
    const secondaryID = parts.at(-1) ?? '';
    const primaryID = parts.slice(1, -1).join('/');
    if (serviceInstanceID === '' || primaryID === '' || secondaryID === '') return undefined;
    return { serviceInstanceID, platform: 'kubernetes', primaryID, secondaryID };
  },
};

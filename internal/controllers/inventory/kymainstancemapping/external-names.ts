import type { ExternalNames } from '../mapping/identity/mapping-identity.ts';

/** In characters. Its parts are recorded in the status, whose fields take no more. */
const maxLength = 1024;

/** `{serviceInstanceID}/{clusterID}/{namespace}`. A cluster ID may itself hold slashes. */
export const externalNames: ExternalNames = {
  form: 'serviceInstanceID/clusterID/namespace',
  // Without a namespace are mappings that others made; they are never recorded by name.
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

import type { Platform } from '../hana-cloud/client.ts';
import type { ExternalNames } from '../mapping/identity/mapping-identity.ts';

const platforms = {
  kubernetes: true,
  cloudfoundry: true,
  'subaccount-api-access': true,
} as const satisfies Record<Platform, true>;

const isPlatform = (text: string): text is Platform => Object.hasOwn(platforms, text);

/** In characters; enough for three IDs of the spec and a platform. */
const maxLength = 4096;

/** `{serviceInstanceID}/{platform}/{primaryID}/{secondaryID}`; the last part is optional. */
export const rawNames: ExternalNames = {
  form: 'serviceInstanceID/platform/primaryID/secondaryID',
  format: ({ serviceInstanceID, platform, primaryID, secondaryID }) =>
    [serviceInstanceID, platform, primaryID, ...(secondaryID === undefined ? [] : [secondaryID])].join('/'),
  parse: (externalName) => {
    if (externalName.length > maxLength) return undefined;
    const [serviceInstanceID, platform = '', primaryID, secondaryID, ...rest] = externalName.split('/');
    if (!serviceInstanceID || !isPlatform(platform) || !primaryID || rest.length > 0) return undefined;
    return { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
  },
};

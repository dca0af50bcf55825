import type { Extender, PatchInput } from '../model/extender.ts';
import { RenderingError } from '../model/rendering-error.ts';

const cloudProfiles = new Map([
  ['aws', 'aws'],
  ['azure', 'az'],
  ['gcp', 'gcp'],
  ['openstack', 'converged-cloud-kyma'],
]);

/** The catalog of machines, images and versions. */
export const cloudProfile: Extender = ({ spec }) => {
  const cloudProfileName = cloudProfiles.get(spec.shoot.provider.type);
  if (cloudProfileName === undefined)
    throw new RenderingError('spec.shoot.provider.type', 'provider not supported');
  return { spec: { cloudProfileName } };
};

/** A Shoot whose owner has moved it to another catalog keeps that one. */
export const patchCloudProfile: Extender<PatchInput> = (input) => {
  const part = cloudProfile(input);
  const { name, kind } = input.live.spec?.cloudProfile ?? {};
  const isOfOwner = name !== undefined && (name !== part.spec?.cloudProfileName || kind !== 'CloudProfile');
  return isOfOwner ? {} : part;
};

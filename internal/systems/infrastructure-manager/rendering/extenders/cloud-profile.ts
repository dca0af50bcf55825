import type { Extender, PatchInput } from '../model/extender.ts';
import { RenderingError } from '../model/rendering-error.ts';

const cloudProfiles = new Map([
  ['aws', 'aws'],
  ['azure', 'az'],
  ['gcp', 'gcp'],
  ['openstack', 'converged-cloud-kyma'],
  ['alicloud', 'alicloud'],
  ['gdch', 'cat'],
]);

/** The catalog of machines, images and versions. */
export const cloudProfile: Extender = ({ spec, configuration }) => {
  const { type } = spec.shoot.provider;
  const configured = type === 'gdch' ? configuration.converter.provider.gdch.cloudProfileName : '';
  const name = configured || cloudProfiles.get(type);
  if (name === undefined) throw new RenderingError('spec.shoot.provider.type', 'provider not supported');
  return { spec: { cloudProfile: { kind: 'CloudProfile', name } } };
};

/** A Shoot whose owner has moved it to another catalog keeps that one. */
export const patchCloudProfile: Extender<PatchInput> = (input) => {
  const part = cloudProfile(input);
  const { cloudProfile: live, cloudProfileName } = input.live.spec ?? {};
  const wanted = part.spec?.cloudProfile?.name;
  const isOther = live === undefined ? cloudProfileName !== wanted : live.name !== wanted;
  const isOfOwner =
    (live !== undefined || cloudProfileName !== undefined) &&
    (isOther || (live !== undefined && live.kind !== 'CloudProfile'));
  if (!isOfOwner) return part;
  return live === undefined ? {} : { spec: { cloudProfile: live } };
};

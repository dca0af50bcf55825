import { authenticationConfigName } from '../../shoot-metadata.ts';
import type { Extender, PatchInput } from '../model/extender.ts';

/** Who issues tokens of users: it is in a ConfigMap. */
export const authentication: Extender = ({ spec: { shoot } }) => ({
  kubeAPIServer: { structuredAuthentication: { configMapName: authenticationConfigName(shoot.name) } },
});

/** A Shoot whose owner has named another ConfigMap keeps that one. */
export const patchAuthentication: Extender<PatchInput> = (input) => {
  const { structuredAuthentication: live } = input.live.spec?.kubernetes.kubeAPIServer ?? {};
  const { configMapName } = live ?? {};
  const isOfOwner =
    configMapName !== undefined && configMapName !== authenticationConfigName(input.spec.shoot.name);
  return isOfOwner && live !== undefined
    ? { kubeAPIServer: { structuredAuthentication: live } }
    : authentication(input);
};

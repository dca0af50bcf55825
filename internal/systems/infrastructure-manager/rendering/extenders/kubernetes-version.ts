import type { Extender, PatchInput, RenderingInput } from '../model/extender.ts';
import { newerVersion } from '../model/version.ts';

export const wantedVersion = ({ spec, configuration }: RenderingInput): string =>
  spec.shoot.kubernetes?.version || configuration.converter.kubernetes.defaultVersion;

export const createKubernetesVersion: Extender = (input) => ({ kubernetesVersion: wantedVersion(input) });

/** Gardener upgrades Kubernetes by itself, and never goes back. */
export const patchKubernetesVersion: Extender<PatchInput> = (input) => ({
  kubernetesVersion: newerVersion(wantedVersion(input), input.live.spec?.kubernetes.version),
});

import { InvalidConfigurationError } from '../../../../framework/base/index.ts';

import type { ObjectKey } from '../../../../framework/kube/index.ts';
import type { InfrastructureManagerFlags } from '../../settings/flags.ts';

/** Where what is copied to each cluster comes from, and what it is called there. */
export interface CopiedObject {
  readonly source: ObjectKey;
  readonly target: ObjectKey;
}

/** The runtime bootstrapper, which makes images and certificates of an installation available to pods of a runtime. */
export interface BootstrapperSettings {
  /** ConfigMap with the manifests. */
  readonly manifests: ObjectKey;
  /** The Deployment of a cluster that says whether the bootstrapper works. */
  readonly deployment: ObjectKey;
  readonly config: CopiedObject;
  /** Undefined: there is none. */
  readonly pullSecret: CopiedObject | undefined;
  /** The same. */
  readonly trustBundle: CopiedObject | undefined;
}

/** Undefined: it is not enabled. @throws InvalidConfigurationError if a name that is needed is empty */
export function bootstrapperSettings(flags: InfrastructureManagerFlags): BootstrapperSettings | undefined {
  if (!flags.runtimeBootstrapperEnabled) return undefined;
  const named = (flag: string, name: string, needs = '--runtime-bootstrapper-enabled') => {
    if (name === '') throw new InvalidConfigurationError(`${needs} needs --runtime-bootstrapper-${flag}`);
    return name;
  };
  const source = { namespace: flags.runtimeNamespace };
  const target = { namespace: named('skr-namespace', flags.runtimeBootstrapperSkrNamespace) };
  const {
    runtimeBootstrapperKcpPullSecretName: pullSecret,
    runtimeBootstrapperKcpClusterTrustBundle: trustBundle,
  } = flags;
  const targetOf = (flag: string, name: string, sourceFlag: string) =>
    named(flag, name, `--runtime-bootstrapper-${sourceFlag}`);
  return {
    manifests: {
      ...source,
      name: named('manifests-config-map-name', flags.runtimeBootstrapperManifestsConfigMapName),
    },
    deployment: {
      ...target,
      name: named('skr-deployment-name', flags.runtimeBootstrapperSkrDeploymentName),
    },
    config: {
      source: { ...source, name: named('kcp-config-name', flags.runtimeBootstrapperKcpConfigName) },
      target: { ...target, name: named('skr-config-name', flags.runtimeBootstrapperSkrConfigName) },
    },
    pullSecret:
      pullSecret === ''
        ? undefined
        : {
            source: { ...source, name: pullSecret },
            target: {
              ...target,
              name: targetOf(
                'skr-pull-secret-name',
                flags.runtimeBootstrapperSkrPullSecretName,
                'kcp-pull-secret-name',
              ),
            },
          },
    trustBundle:
      trustBundle === ''
        ? undefined
        : {
            source: { name: trustBundle },
            target: {
              name: targetOf(
                'skr-cluster-trust-bundle',
                flags.runtimeBootstrapperSkrClusterTrustBundle,
                'kcp-cluster-trust-bundle',
              ),
            },
          },
  };
}

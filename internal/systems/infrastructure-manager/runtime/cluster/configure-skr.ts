import { objectOwnershipOf } from '../ownership/object-ownership.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { next, type Step } from '../step.ts';
import { applyOpenIdConnects } from './apply-open-id-connects.ts';
import { applyProvisioningInfo } from './apply-provisioning-info.ts';
import { clusterFailed } from './cluster-failed.ts';
import { provisioningInfo } from './provisioning-info.ts';
import { useRuntimeCluster } from './runtime-cluster.ts';

const EXTENSION = 'shoot-oidc-service';

const { oidcConfigured: type } = conditionTypes;

/** Tells the cluster what it is, and makes the issuers that it trusts those of the Runtime, if the extension for it is there. */
export async function configureSkr(run: RuntimeRun): Promise<Step> {
  try {
    const info = await readInfo(run);
    await useRuntimeCluster(run, (cluster) => applyProvisioningInfo(cluster, info));
  } catch (error) {
    const { configMapError: reason } = reasons;
    return clusterFailed(run, error, { type, reason, message: messages.provisioningInfoFailed });
  }
  let message: string = messages.oidcExtensionDisabled;
  if (isEnabled(run)) {
    const wanted = run.rendering.openIdConnects(run.object);
    try {
      await useRuntimeCluster(run, (cluster) => applyOpenIdConnects(cluster, objectOwnershipOf(run), wanted));
    } catch (error) {
      const { oidcConfigurationError: reason } = reasons;
      return clusterFailed(run, error, { type, reason, message: messages.oidcFailed });
    }
    message = messages.oidcConfigured;
  }
  // Stored together with the result of the next state.
  run.status.keepState({ type, reason: reasons.oidcConfigured, status: 'True', message });
  return next('ApplyClusterRoleBindings');
}

async function readInfo(run: RuntimeRun): Promise<string> {
  const { shoot, object, context, seedRegions } = run;
  const seed = shoot?.spec?.seedName;
  const seedRegion = seed === undefined ? undefined : await seedRegions.of(seed, context);
  return provisioningInfo(object, shoot, seedRegion);
}

/** An extension without the field is enabled. */
const isEnabled = ({ shoot }: RuntimeRun): boolean => {
  const extension = shoot?.spec?.extensions?.find((each) => each.type === EXTENSION);
  return extension !== undefined && extension.disabled !== true;
};

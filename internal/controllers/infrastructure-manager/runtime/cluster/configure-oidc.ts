import { objectOwnershipOf } from '../ownership/object-ownership.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { applyOpenIdConnects } from './apply-open-id-connects.ts';
import { clusterFailed } from './cluster-failed.ts';
import { nextCheck } from './configured.ts';
import { useRuntimeCluster } from './runtime-cluster.ts';

const EXTENSION = 'shoot-oidc-service';

const { oidcConfigured: type } = conditionTypes;

/** Makes the issuers that the cluster trusts those of the Runtime, if the extension for it is there. */
export async function configureOidc(run: RuntimeRun): Promise<Step> {
  const check = nextCheck(run);
  if (check !== undefined) return end(check);
  let message: string = messages.oidcExtensionDisabled;
  if (isEnabled(run)) {
    const wanted = run.rendering.openIdConnects(run.object);
    try {
      await useRuntimeCluster(run, (cluster) => applyOpenIdConnects(cluster, objectOwnershipOf(run), wanted));
    } catch (error) {
      return clusterFailed(run, error, {
        type,
        reason: reasons.oidcConfigurationError,
        message: messages.oidcFailed,
      });
    }
    message = messages.oidcConfigured;
  }
  // Stored together with the result of the next state.
  run.status.keepState({ type, reason: reasons.oidcConfigured, status: 'True', message });
  return next('ApplyClusterRoleBindings');
}

/** An extension without the field is enabled. */
const isEnabled = ({ shoot }: RuntimeRun): boolean => {
  const extension = shoot?.spec?.extensions?.find((each) => each.type === EXTENSION);
  return extension !== undefined && extension.disabled !== true;
};

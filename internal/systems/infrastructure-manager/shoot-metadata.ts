/** What this module writes on Shoots beside their specification, and names that follow from theirs. */

/** Field manager of the Kyma infrastructure manager at Gardener. */
export const FIELD_MANAGER = 'kim';

/** The ID of the Runtime that the Shoot was rendered from. */
export const annotationRuntimeId = 'infrastructuremanager.kyma-project.io/runtime-id';
/** The generation of the Runtime that the Shoot was rendered from. */
export const annotationRuntimeGeneration = 'infrastructuremanager.kyma-project.io/runtime-generation';

/** How long Gardener waits for finalizers. Only renderings of today set it. */
export const annotationGracePeriod =
  'shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds';

/** Name of the ConfigMap with the authentication configuration of a Shoot. */
export const authenticationConfigName = (shoot: string): string => `structured-auth-config-${shoot}`;

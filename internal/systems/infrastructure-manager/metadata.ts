import type { Runtime } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { KubeObject } from '../../framework/kube/index.ts';

/** Labels that the broker sets on a Runtime. */
export const labels = {
  instanceId: 'kyma-project.io/instance-id',
  runtimeId: 'kyma-project.io/runtime-id',
  region: 'kyma-project.io/region',
  kymaName: 'operator.kyma-project.io/kyma-name',
  brokerPlanId: 'kyma-project.io/broker-plan-id',
  brokerPlanName: 'kyma-project.io/broker-plan-name',
  globalAccountId: 'kyma-project.io/global-account-id',
  subaccountId: 'kyma-project.io/subaccount-id',
} as const;

/** The tenant whose Runtime, or GardenerCluster of a Runtime, it is: all are in one namespace. Undefined: it is not known. */
export const accountOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.[labels.globalAccountId] || undefined;

// What this module writes on Shoots beside their specification, and names that follow from theirs.

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

// What a Runtime asks for beside its specification, and which version of it a Shoot has.

export const finalizer = 'runtime-controller.infrastructure-manager.kyma-project.io/deletion-hook';

export const annotationForcePatch = 'operator.kyma-project.io/force-patch-reconciliation';
export const annotationSuspendPatch = 'operator.kyma-project.io/suspend-patch-reconciliation';
/** Of a Shoot: Gardener deletes none without it. */
export const annotationConfirmDeletion = 'confirmation.gardener.cloud/deletion';

const isTrue = (object: KubeObject, annotation: string) =>
  object.metadata.annotations?.[annotation] === 'true';

/** One patch is requested, whatever the generations are. Only the value `true` counts. */
export const isPatchForced = (runtime: KubeObject): boolean => isTrue(runtime, annotationForcePatch);

/** No patch is sent. Only the value `true` counts. */
export const isPatchSuspended = (runtime: KubeObject): boolean => isTrue(runtime, annotationSuspendPatch);

export const isDeletionConfirmed = (shoot: KubeObject): boolean => isTrue(shoot, annotationConfirmDeletion);

/** Name of the GardenerCluster; undefined without the label. */
export const runtimeIdOf = (runtime: Runtime): string | undefined =>
  runtime.metadata.labels?.[labels.runtimeId] || undefined;

/** The generation of the Runtime that the Shoot was rendered from; undefined: never, NaN: the annotation is no number. */
export function appliedGeneration(shoot: KubeObject): number | undefined {
  const text = shoot.metadata.annotations?.[annotationRuntimeGeneration];
  if (text === undefined) return undefined;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Whether the Runtime was changed since the Shoot was rendered from it. An annotation that is no number was changed by others. */
export function isChanged({ metadata: { generation = 0 } }: KubeObject, shoot: KubeObject): boolean {
  const applied = appliedGeneration(shoot);
  return applied === undefined || Number.isNaN(applied) || applied < generation;
}

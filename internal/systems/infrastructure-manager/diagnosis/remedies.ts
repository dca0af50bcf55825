/**
 * What to do about each cause for which a Runtime is not Ready: the field at fault, and a command. A test executes each command, after
 * which the Runtime is Ready. `FILE` stands for a kubeconfig of Gardener.
 */
import { shoots } from '../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { objectArguments, objectCommand, shellCommand } from '../../../framework/base/text/shell.ts';
import { groupResource, type ObjectKey } from '../../../framework/kube/index.ts';
import type { Remedy } from '../../../framework/module/diagnosis.ts';
import { annotationForceRotation } from '../gardenercluster/metadata.ts';
import { annotationSuspendPatch, labels } from '../metadata.ts';

/** Flags of kubectl for Gardener. */
export const gardenerFlags = ['--kubeconfig=FILE'] as const;

export const runtimeRemedies = {
  /** Gardener refuses what the Runtime says, or no Shoot can be made of it. The message names the field. */
  spec: (runtime: ObjectKey): Remedy => edit(runtime, 'spec.shoot'),
  /** Labels that the broker sets are missing: the message names them. */
  labels: (runtime: ObjectKey): Remedy => edit(runtime, 'metadata.labels'),
  /** No seed of the region is ready, and others are not allowed. The region itself cannot be changed. */
  seed: (runtime: ObjectKey): Remedy => edit(runtime, 'spec.shoot.enforceSeedLocation'),
  /** The configuration has no tenant of audit logs for the region. */
  auditTenant: (): Remedy => ({
    field: 'spec.shoot.provider.type, spec.shoot.region',
    remediation:
      'add this type and region to the file of audit tenants (tenantConfigPath of the converter configuration), or set PROVIDER_KYMA_AUDIT_LOG_MANDATORY=false in the environment of the program, env of the chart',
  }),
  /** The runtime cluster refuses the issuers of tokens, or the administrators. */
  issuers: (runtime: ObjectKey): Remedy =>
    edit(runtime, 'spec.shoot.kubernetes.kubeAPIServer.additionalOidcConfig'),
  administrators: (runtime: ObjectKey): Remedy => edit(runtime, 'spec.security.administrators'),
  /** Another Runtime has the same ID, so that its cluster is that of the other. */
  runtimeId: (runtime: ObjectKey): Remedy => edit(runtime, `metadata.labels[${labels.runtimeId}]`),
  /** The Shoot is that of another Runtime. Its name cannot be changed, and the deletion of this Runtime leaves it. */
  shootName: (runtime: ObjectKey): Remedy => ({
    field: 'spec.shoot.name',
    remediation: onRuntime('delete', runtime),
  }),
  /** The Runtime was changed, and an annotation suspends changes of the Shoot. */
  suspended: (runtime: ObjectKey): Remedy => ({
    field: `metadata.annotations[${annotationSuspendPatch}]`,
    remediation: onRuntime('annotate', runtime, `${annotationSuspendPatch}-`),
  }),
  /** Gardener gave up an operation on the Shoot. When its cause is removed, Gardener repeats it on request. */
  failedOperation: (shoot: ObjectKey): Remedy => ({
    field: 'status.lastErrors',
    remediation: onShoot('annotate', shoot, 'gardener.cloud/operation=retry'),
  }),
  /** Gardener works on the Shoot. */
  operation: (shoot: ObjectKey): Remedy => ({ remediation: onShoot('describe', shoot) }),
  /** The Secret that the kubeconfig would be written to belongs to others. */
  foreignSecret: (cluster: ObjectKey): Remedy => ({
    field: 'spec.kubeconfig.secret.name',
    remediation: onCluster('edit', cluster),
  }),
  /** The runtime cluster does not accept the kubeconfig, or it is missing: Gardener grants another one. */
  kubeconfig: (cluster: ObjectKey): Remedy => ({
    remediation: onCluster('annotate', cluster, '--overwrite', `${annotationForceRotation}=true`),
  }),
  /** Nothing is known but the conditions and events of the Runtime, or of its GardenerCluster. */
  unknown: (runtime: ObjectKey): Remedy => ({ remediation: onRuntime('describe', runtime) }),
  unknownOfCluster: (cluster: ObjectKey): Remedy => ({ remediation: onCluster('describe', cluster) }),
};

const onRuntime = (verb: string, key: ObjectKey, ...more: readonly string[]): string =>
  objectCommand(verb, groupResource(runtimes), key, ...more);

const onCluster = (verb: string, key: ObjectKey, ...more: readonly string[]): string =>
  objectCommand(verb, groupResource(gardenerClusters), key, ...more);

const onShoot = (verb: string, key: ObjectKey, ...more: readonly string[]): string =>
  shellCommand('kubectl', ...gardenerFlags, ...objectArguments(verb, groupResource(shoots), key), ...more);

const edit = (runtime: ObjectKey, field: string): Remedy => ({
  field,
  remediation: onRuntime('edit', runtime),
});

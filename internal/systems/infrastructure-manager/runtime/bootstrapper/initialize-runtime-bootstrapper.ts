import { requeue, requeueAfter } from '../../../../framework/controller/index.ts';
import { clusterFailed, useRuntimeCluster } from '../cluster/runtime-cluster.ts';
import { objectOwnershipOf } from '../ownership.ts';
import { type End, end, next, type RuntimeRun, type StepOf } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import type { Bootstrapper } from './bootstrapper.ts';
import {
  applyManifests,
  type BootstrappedCluster,
  copyObjects,
  type InstallationState,
  installationState,
} from './install.ts';
import type { Manifests } from './manifests.ts';

/** Until pods of the bootstrapper are looked at again, in ms. */
const POLL_MS = 30_000;

const { runtimeBootstrapperReady: type } = conditionTypes;
const { runtimeBootstrapperInstallationFailed: installationFailed } = reasons;

/** Installs the runtime bootstrapper in the cluster with its configuration, if it is enabled, and waits until it works. */
export async function initializeRuntimeBootstrapper(
  run: RuntimeRun,
): Promise<StepOf<'InitializeRuntimeBootstrapper'>> {
  const { bootstrapper } = run;
  if (bootstrapper === undefined) return next('CleanupRegistryCacheGardenSecrets');
  let state: InstallationState;
  let manifests: Manifests;
  try {
    const copies = bootstrapper.copies();
    await useBootstrapped(run, (cluster) => copyObjects(cluster, copies));
  } catch (error) {
    return failed(
      run,
      error,
      reasons.runtimeBootstrapperConfigurationFailed,
      messages.bootstrapperNotConfigured,
    );
  }
  try {
    manifests = bootstrapper.manifests();
    state = await stateOf(run, bootstrapper, manifests);
  } catch (error) {
    return failed(run, error, reasons.runtimeBootstrapperStatusUnknown, messages.bootstrapperUnknown);
  }
  switch (state) {
    case 'missing':
    case 'outdated':
      return install(run, state, manifests);
    case 'progressing':
      return waitFor(run, reasons.runtimeBootstrapperInstallationInProgress, messages.bootstrapperInstalling);
    case 'failed':
      return giveUp(run);
    case 'ready':
      // Stored together with the result of a later state.
      run.status.keepState({
        type,
        reason: reasons.runtimeBootstrapperConfigured,
        status: 'True',
        message: messages.bootstrapperInstalled,
      });
      return next('CleanupRegistryCacheGardenSecrets');
    default:
      return state satisfies never;
  }
}

const useBootstrapped = (run: RuntimeRun, use: (cluster: BootstrappedCluster) => Promise<void>) =>
  useRuntimeCluster(run, (cluster) => use({ ...cluster, ownership: objectOwnershipOf(run) }));

const stateOf = (run: RuntimeRun, { deployment }: Bootstrapper, manifests: Manifests) =>
  useRuntimeCluster(run, (cluster) => installationState(cluster, deployment, manifests));

const failed = (run: RuntimeRun, error: unknown, reason: Reason, message: string): Promise<End> =>
  clusterFailed(run, error, { type, reason, message, isFalse: true });

async function install(run: RuntimeRun, state: 'missing' | 'outdated', manifests: Manifests): Promise<End> {
  const isNew = state === 'missing';
  try {
    await useBootstrapped(run, (cluster) => applyManifests(cluster, manifests));
  } catch (error) {
    return isNew
      ? failed(run, error, installationFailed, messages.bootstrapperFailed)
      : failed(run, error, reasons.runtimeBootstrapperUpgradeFailed, messages.bootstrapperUpgradeFailed);
  }
  return isNew
    ? waitFor(run, reasons.runtimeBootstrapperInstallationInProgress, messages.bootstrapperInstalling)
    : waitFor(run, reasons.runtimeBootstrapperUpgradeInProgress, messages.bootstrapperUpgrading);
}

/** A Ready Runtime stays Ready while its bootstrapper is replaced. */
async function waitFor({ object, status }: RuntimeRun, reason: Reason, message: string): Promise<End> {
  const stated = { type, reason, status: 'False', message } as const;
  if (object.status?.state === 'Ready') status.keepState(stated);
  else status.pending(stated);
  await status.store();
  return end(requeueAfter(POLL_MS));
}

/** The same for one whose pods fail: a Ready Runtime stays Ready, any other one has failed. */
async function giveUp({ object, status }: RuntimeRun): Promise<End> {
  const stated = { type, reason: installationFailed, message: messages.bootstrapperFailed };
  if (object.status?.state === 'Ready') status.keepState({ ...stated, status: 'False' });
  else status.failed(stated);
  await status.store();
  return end(requeue);
}

/** The provider configurations of KymaClusters: where the mothership is, and the credentials for its API. */
export {
  configKinds as mothershipConfigKinds,
  type ProviderConfig as MothershipConfig,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';

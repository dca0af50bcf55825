/** Texts of conditions of KymaClusters, each with the object or the field at fault. docs/mothership/kyma-cluster.md explains them. */
import { notFoundText } from '../../../framework/kube/index.ts';

/** @param field of the ProviderConfig */
export const invalidURLText = (field: string): string =>
  `the ${field} of the ProviderConfig is no URL of http or https without a user`;
export const refusedURLText = (field: string, why: string): string =>
  `the ${field} of the ProviderConfig is refused: ${why}`;
export const noOAuthClientText = 'the credentials of the ProviderConfig have no oauthClient';
export const noTokenText = 'the credentials of the ProviderConfig are no bearer token';

/** @param secret of the credentials, with its namespace */
export const missingClientValueText = (secret: string, key: string): string =>
  `Secret ${secret} of the ProviderConfig has no key ${key}`;
export const longClientValueText = (secret: string, key: string): string =>
  `Secret ${secret} of the ProviderConfig has a too long value in key ${key}`;

export const needsKubeconfigText = 'a namespaced KymaCluster needs spec.forProvider.kubeconfigSecretRef';
/** @param secret of the kubeconfig, with its namespace */
export const missingKubeconfigText = (secret: string): string => `Secret ${secret} ${notFoundText(secret)}`;
/** @param secret of the kubeconfig, with its namespace */
export const missingKubeconfigKeyText = (secret: string, key: string): string =>
  `Secret ${secret} has no key ${key}`;
export const longKubeconfigText = (secret: string, key: string): string =>
  `Secret ${secret}: key ${key} is too long for a kubeconfig`;

export const invalidValueText = (key: string, component: string): string =>
  `the value ${key} of component ${component} is no JSON`;
/** @param why `of more than 100000 characters` */
export const largeValueText = (key: string, component: string, why: string): string =>
  `the value ${key} of component ${component} is a JSON text ${why}`;

export const foreignClusterText = (runtimeID: string): string =>
  `cannot manage cluster ${runtimeID}: it was not registered from this namespace; choose another runtimeID`;
export const unreadableStateText = (runtimeID: string): string =>
  `the mothership cannot read the state of cluster ${runtimeID}`;

/** @param failures `component: reason`, separated; empty: none */
export const statusText = (status: string, failures: string): string =>
  failures === '' ? `the cluster is ${status}` : `the cluster is ${status}: ${failures}`;

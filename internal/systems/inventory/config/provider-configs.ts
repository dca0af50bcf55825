/**
 * The provider configurations of cluster-scoped and of namespaced resources. They have SQL
 * credentials, which mappings do not read.
 */
export { configKinds as hanaConfigKinds } from '../../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';

import { accessRestrictions } from './extenders/access-restrictions.ts';
import { accountLabels } from './extenders/account-labels.ts';
import { annotations } from './extenders/annotations.ts';
import { auditPolicy } from './extenders/audit-policy.ts';
import { authentication, patchAuthentication } from './extenders/authentication.ts';
import { cloudProfile, patchCloudProfile } from './extenders/cloud-profile.ts';
import { credentials, patchCredentials } from './extenders/credentials.ts';
import { dns, patchDns } from './extenders/dns.ts';
import { exposureClass } from './extenders/exposure-class.ts';
import { featureGates } from './extenders/feature-gates.ts';
import { createKubernetesVersion, patchKubernetesVersion } from './extenders/kubernetes-version.ts';
import { maintenance } from './extenders/maintenance.ts';
import { networking } from './extenders/networking.ts';
import { createResources, patchResources } from './extenders/resources.ts';
import { seedSelector } from './extenders/seed-selector.ts';
import { tokenExpiration } from './extenders/token-expiration.ts';
import { tolerations } from './extenders/tolerations.ts';
import { createExtensions, patchExtensions } from './extensions/extensions.ts';
import type { Extender, PatchInput } from './model/extender.ts';
import { createProvider, patchProvider } from './provider/provider.ts';

const always: readonly Extender[] = [
  annotations,
  accountLabels,
  seedSelector,
  exposureClass,
  accessRestrictions,
  featureGates,
];

/** Of a new Shoot, in this order. */
export const createExtenders: readonly Extender[] = [
  ...always,
  authentication,
  cloudProfile,
  credentials,
  createProvider,
  tolerations,
  dns,
  createExtensions,
  createKubernetesVersion,
  maintenance,
  createResources,
  auditPolicy,
  tokenExpiration,
  networking,
];

/** Of a Shoot that exists. Tolerations, families of addresses and lifetimes of tokens stay as its creation has set them. */
export const patchExtenders: readonly Extender<PatchInput>[] = [
  ...always,
  patchAuthentication,
  patchCloudProfile,
  patchCredentials,
  patchProvider,
  patchDns,
  patchExtensions,
  patchResources,
  patchKubernetesVersion,
  maintenance,
  auditPolicy,
];

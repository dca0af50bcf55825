/** Gardener as the states of a Runtime use it. */
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import { cutText } from '../../../framework/base/text/text.ts';
import {
  type Cluster,
  type Informer,
  type Informers,
  type KubeClient,
  keyString,
} from '../../../framework/kube/index.ts';

export interface Gardener {
  /** Optional: what fails there makes nothing else wait. */
  readonly cluster: Cluster;
  /** That of the cluster, within the limits for requests to Gardener. */
  readonly client: KubeClient;
  /** Without `garden-`. */
  readonly project: string;
}

/** The namespace of the project's Shoots and ConfigMaps. */
export const namespaceOf = ({ project }: Pick<Gardener, 'project'>): string => `garden-${project}`;

/** Gardener refuses longer names of project and Shoot together. */
export const MAX_NAMES = 21;

/** The Shoots of the project. All users share one informer. */
export const shootInformer = (informers: Informers, gardener: Pick<Gardener, 'project'>): Informer<Shoot> =>
  informers.of(shoots, { selection: { namespace: namespaceOf(gardener) }, transform: slimShoot });

export const shootKey = (gardener: Pick<Gardener, 'project'>, name: string): string =>
  keyString({ namespace: namespaceOf(gardener), name });

const MAX_ERRORS = 20;
const MAX_DESCRIPTION = 1024;
const MAX_CODE = 64;

/** Keeps of the status only what decides: thousands of Shoots are in memory, and texts of errors may have megabytes. */
export function slimShoot(shoot: Shoot): Shoot {
  const { managedFields: _, ...metadata } = shoot.metadata;
  const { status } = shoot;
  if (status === undefined) return { ...shoot, metadata };
  const { observedGeneration, lastOperation, lastErrors, technicalID, uid, gardener, hibernated } = status;
  const { certificateAuthorities } = status.credentials?.rotation ?? {};
  return {
    ...shoot,
    metadata,
    status: {
      technicalID,
      uid,
      gardener,
      hibernated,
      ...(certificateAuthorities === undefined
        ? {}
        : { credentials: { rotation: { certificateAuthorities } } }),
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      ...(lastOperation === undefined ? {} : { lastOperation: cutDescription(lastOperation) }),
      ...(lastErrors === undefined ? {} : { lastErrors: lastErrors.slice(0, MAX_ERRORS).map(cutError) }),
    },
  };
}

const cutDescription = <T extends { description: string }>(described: T): T => ({
  ...described,
  description: cutText(described.description, MAX_DESCRIPTION),
});

const cutError = (error: NonNullable<NonNullable<Shoot['status']>['lastErrors']>[number]) => ({
  ...cutDescription(error),
  ...(error.codes === undefined
    ? {}
    : { codes: error.codes.slice(0, MAX_ERRORS).map((code) => cutText(code, MAX_CODE)) }),
});

/**
 * Kinds of Gardener's API, of which nothing is typed by hand: `core.openapi.yaml` is recorded from the real
 * gardener-apiserver, and the configuration that extensions of Gardener define is in `extensions.openapi.yaml`.
 */
import type { ObjectMeta } from '../object-meta.ts';
import type { components as Core } from './core.openapi.gen.ts';
import type { components as Extensions } from './extensions.openapi.gen.ts';

/** Schemas of core.gardener.cloud/v1beta1 and what they refer to, by name: `GardenerSchemas['Worker']`. */
export type GardenerSchemas = Core['schemas'];

/** Configuration of extensions, by name: `ExtensionSchemas['AwsInfrastructureConfig']`. */
export type ExtensionSchemas = Extensions['schemas'];

type Stored<Name extends 'Shoot' | 'Seed'> = Omit<GardenerSchemas[Name], 'apiVersion' | 'kind'> & {
  apiVersion: 'core.gardener.cloud/v1beta1';
  kind: Name;
  metadata: ObjectMeta;
};

/** A cluster that Gardener makes and runs. */
export type Shoot = Stored<'Shoot'>;

export type ShootSpec = GardenerSchemas['ShootSpec'];

export type ShootStatus = GardenerSchemas['ShootStatus'];

/** A pool of equal nodes of a Shoot. */
export type Worker = GardenerSchemas['Worker'];

/** A cluster that runs the control planes of Shoots. */
export type Seed = Stored<'Seed'>;

/** What is posted to `adminkubeconfig` of a Shoot, and its answer. It is not stored. */
export type AdminKubeconfigRequest = Omit<
  GardenerSchemas['AdminKubeconfigRequest'],
  'apiVersion' | 'kind'
> & {
  apiVersion: 'authentication.gardener.cloud/v1alpha1';
  kind: 'AdminKubeconfigRequest';
};

const CORE = {
  apiVersion: 'core.gardener.cloud/v1beta1',
  group: 'core.gardener.cloud',
  version: 'v1beta1',
  // They are served by an aggregated API server.
  hasCrd: false,
} as const;

/** Where Shoots are served. */
export const shoots: typeof CORE & {
  readonly kind: 'Shoot';
  readonly plural: 'shoots';
  readonly namespaced: true;
  /** For the compiler only: it ties the type to its objects. Never set. */
  readonly objectType?: Shoot;
} = { ...CORE, kind: 'Shoot', plural: 'shoots', namespaced: true };

/** Where Seeds are served. */
export const seeds: typeof CORE & {
  readonly kind: 'Seed';
  readonly plural: 'seeds';
  readonly namespaced: false;
  /** For the compiler only: it ties the type to its objects. Never set. */
  readonly objectType?: Seed;
} = { ...CORE, kind: 'Seed', plural: 'seeds', namespaced: false };

/** A service plan with its offering's ID. */
export interface Plan {
  readonly id: string;
  readonly catalog_name: string;
  readonly service_offering_id: string;
  /** Default true. */
  readonly shareable?: boolean;
  /** Whether an instance can change to or from it. Default true. */
  readonly updatable?: boolean;
  /** Default true. */
  readonly bindable?: boolean;
}

export interface Offering {
  readonly id: string;
  readonly catalog_name: string;
  /** Default: empty. */
  readonly data_center?: string;
  readonly tags?: readonly string[];
}

export interface Catalog {
  readonly offerings: readonly Offering[];
  readonly plans: readonly Plan[];
}

/**
 * - `sample`: plans `standard`, `async` (see `defaultModes`), `private` (cannot be shared), `fixed` (cannot be changed),
 *   `unbindable`
 * - `sample` of data center `eu10`: plan `standard`
 * - `ambiguous`: two offerings with a plan `standard` each
 */
export const defaultCatalog: Catalog = {
  offerings: [
    { id: 'offering-sample', catalog_name: 'sample', tags: ['test'] },
    { id: 'offering-sample-eu10', catalog_name: 'sample', data_center: 'eu10', tags: ['test', 'eu10'] },
    { id: 'offering-ambiguous-1', catalog_name: 'ambiguous' },
    { id: 'offering-ambiguous-2', catalog_name: 'ambiguous' },
  ],
  plans: [
    { id: 'plan-standard', catalog_name: 'standard', service_offering_id: 'offering-sample' },
    { id: 'plan-async', catalog_name: 'async', service_offering_id: 'offering-sample' },
    { id: 'plan-private', catalog_name: 'private', service_offering_id: 'offering-sample', shareable: false },
    { id: 'plan-fixed', catalog_name: 'fixed', service_offering_id: 'offering-sample', updatable: false },
    {
      id: 'plan-unbindable',
      catalog_name: 'unbindable',
      service_offering_id: 'offering-sample',
      bindable: false,
    },
    { id: 'plan-eu10', catalog_name: 'standard', service_offering_id: 'offering-sample-eu10' },
    { id: 'plan-ambiguous-1', catalog_name: 'standard', service_offering_id: 'offering-ambiguous-1' },
    { id: 'plan-ambiguous-2', catalog_name: 'standard', service_offering_id: 'offering-ambiguous-2' },
  ],
};

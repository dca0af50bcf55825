/**
 * Offerings and plans in memory, for all clients of the process: thousands of instances have few plans. An entry belongs to
 * one set of credentials, since offerings depend on the subaccount. Only what was found is kept.
 */

import { createLruCache, textBytes } from '../../../framework/base/collections/lru-cache.ts';
import { createSharedCalls, type Deps } from '../../../framework/base/index.ts';
import { type ApiCalls, bodyOf } from './calls/api-calls.ts';
import { allPages, pageOf } from './calls/pages.ts';
import { PlanSelectionError } from './errors.ts';
import {
  type PlanSelection,
  readOffering,
  readPlan,
  type SelectedPlan,
  type ServiceOffering,
  type ServicePlan,
} from './objects.ts';
import { all, equal, oneOf } from './query.ts';
import type { CallOptions } from './service-manager-client.ts';

/** The catalog of one set of credentials. */
interface Catalog {
  selectPlan(selection: PlanSelection, options: CallOptions): Promise<SelectedPlan>;
  planByID(planID: string, options: CallOptions): Promise<SelectedPlan | undefined>;
  /** Removes the plan from memory: Service Manager refused it. */
  forget(planID: string): void;
}

interface Catalogs {
  of(credentialsID: string, api: CatalogApi): Catalog;
  /** Entries in memory. */
  size(): number;
  clear(): void;
}

interface CatalogsOptions extends Pick<Deps, 'clock'> {
  /** How long an entry may be used, in ms. */
  readonly freshMs: number;
}

/** About 10,000 plans. */
const MAX_BYTES = 8 * 1024 * 1024;
const PLAN_BYTES = 400;
/** In one query, which is part of a URL. An offering name in one data center has few. */
const MAX_OFFERINGS = 50;

interface KnownEntry {
  readonly entry: CatalogEntry;
  readonly requestedAt: number;
}

export function createCatalogs({ clock, freshMs }: CatalogsOptions): Catalogs {
  const known = createLruCache<string, KnownEntry>({ maxBytes: MAX_BYTES, bytesOf: bytesOf });
  const requests = createSharedCalls<KnownEntry>({
    onAnswer: (key, answer) => {
      if (answer.entry.plans.length > 0) known.set(key, answer);
    },
  });
  const isFresh = ({ requestedAt }: KnownEntry) => clock.monotonic() - requestedAt < freshMs;
  const fresh = (key: string) => {
    const found = known.get(key);
    return found !== undefined && isFresh(found) ? found.entry : undefined;
  };
  const fetch = async (
    key: string,
    request: (signal: AbortSignal) => Promise<CatalogEntry>,
    { signal }: CallOptions,
  ) => {
    const timed = async (signal: AbortSignal) => {
      const requestedAt = clock.monotonic();
      return { requestedAt, entry: await request(signal) };
    };
    return (await requests.join(key, timed, signal)).entry;
  };
  return {
    of: (credentialsID, api) => ({
      selectPlan: async (selection, options) => {
        assertNames(selection);
        const { offeringName, planName, dataCenter = '' } = selection;
        const key = JSON.stringify([credentialsID, 'names', offeringName, planName, dataCenter]);
        const entry = fresh(key);
        const cached = entry && selectedFrom(entry, selection);
        if (cached !== undefined) return cached;
        const request = (signal: AbortSignal) => entryByNames(api, selection, { signal });
        return selectPlan(await fetch(key, request, options), selection);
      },
      planByID: async (planID, options) => {
        const key = JSON.stringify([credentialsID, 'id', planID]);
        const request = (signal: AbortSignal) => entryByID(api, planID, { signal });
        const entry = fresh(key) ?? (await fetch(key, request, options));
        return entry.plans[0];
      },
      forget: (planID) => {
        const prefix = JSON.stringify([credentialsID]).slice(0, -1);
        for (const [key, { entry }] of known.entries()) {
          if (key.startsWith(prefix) && entry.plans.some(({ plan }) => plan.id === planID)) known.delete(key);
        }
      },
    }),
    size: () => known.size,
    clear: () => {
      known.clear();
      requests.abandonAll('the client of Service Manager was closed');
    },
  };
}

/** Undefined if the entry may be outdated, since it has no such plan. */
function selectedFrom(entry: CatalogEntry, selection: PlanSelection): SelectedPlan | undefined {
  try {
    return selectPlan(entry, selection);
  } catch (error) {
    if (error instanceof PlanSelectionError) return undefined;
    throw error;
  }
}

async function entryByNames(
  api: CatalogApi,
  { offeringName, planName, dataCenter = '' }: PlanSelection,
  options: CallOptions,
): Promise<CatalogEntry> {
  const offerings = await api.listOfferings(
    all(equal('catalog_name', offeringName), equal('data_center', dataCenter)),
    options,
  );
  if (offerings.length === 0) return { hasOfferings: false, plans: [] };
  const ids = offerings.slice(0, MAX_OFFERINGS).map(({ id }) => id);
  const query = all(equal('catalog_name', planName), oneOf('service_offering_id', ids));
  const plans = await api.listPlans(query, options);
  if (plans.length === 0) {
    // For the message alone: a wrong name is rare.
    const others = await api.listPlans(oneOf('service_offering_id', ids), options);
    const knownPlans = [...new Set(others.map(({ catalogName }) => catalogName))].sort();
    return { hasOfferings: true, plans: [], knownPlans };
  }
  const byID = new Map(offerings.map((offering) => [offering.id, offering]));
  const withOffering = plans.flatMap((plan) => {
    const offering = byID.get(plan.serviceOfferingID);
    return offering === undefined ? [] : [{ plan, offering }];
  });
  return { hasOfferings: true, plans: withOffering };
}

async function entryByID(api: CatalogApi, planID: string, options: CallOptions): Promise<CatalogEntry> {
  const [plan] = await api.listPlans(equal('id', planID), options);
  if (plan === undefined) return { hasOfferings: false, plans: [] };
  const [offering] = await api.listOfferings(equal('id', plan.serviceOfferingID), options);
  return offering === undefined
    ? { hasOfferings: false, plans: [] }
    : { hasOfferings: true, plans: [{ plan, offering }] };
}

function bytesOf({ entry }: KnownEntry): number {
  return entry.plans.reduce(
    (sum, { plan, offering }) =>
      sum +
      PLAN_BYTES +
      textBytes(plan.id, plan.catalogName, plan.serviceOfferingID) +
      textBytes(offering.id, offering.catalogName, offering.dataCenter, ...offering.tags),
    0,
  );
}

/** The plans with the names of a selection, and their offerings. */
interface CatalogEntry {
  readonly hasOfferings: boolean;
  readonly plans: readonly SelectedPlan[];
  /** Names of the plans that the offerings have, if none has the name of the selection. Default: none. */
  readonly knownPlans?: readonly string[];
}

/** @throws PlanSelectionError */
function assertNames({ instanceName, offeringName, planName }: PlanSelection): void {
  if (offeringName !== '' && planName !== '') return;
  throw new PlanSelectionError(
    'missing-names',
    `missing field values. Specify service name and plan name for the instance '${instanceName}'`,
  );
}

/** Plans that a message lists. */
const MAX_LISTED = 20;

function listed(plans: readonly string[]): string {
  if (plans.length === 0) return '';
  const more = plans.length > MAX_LISTED ? `, and ${plans.length - MAX_LISTED} more` : '';
  return `; its plans are ${plans.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** The plan that a selection means. @throws PlanSelectionError */
function selectPlan(entry: CatalogEntry, selection: PlanSelection): SelectedPlan {
  const { offeringName, planName, planID = '', dataCenter = '' } = selection;
  const { hasOfferings, plans, knownPlans = [] } = entry;
  const [only] = plans;
  if (!hasOfferings)
    throw new PlanSelectionError(
      'unknown-offering',
      `couldn't find the service offering '${offeringName}' on dataCenter '${dataCenter}'`,
    );
  if (only === undefined)
    throw new PlanSelectionError(
      'unknown-plan',
      `couldn't find the service plan '${planName}' for the service offering '${offeringName}'${listed(knownPlans)}`,
    );
  if (planID !== '') {
    const named = plans.find(({ plan }) => plan.id === planID);
    if (named !== undefined) return named;
    throw new PlanSelectionError(
      'wrong-plan-id',
      `the provided plan ID '${planID}' doesn't match the provided offering name '${offeringName}' and plan name '${planName}'`,
    );
  }
  if (plans.length === 1) return only;
  throw new PlanSelectionError(
    'ambiguous',
    `ambiguity error: found more than one resource that matches the provided offering name '${offeringName}' and plan name '${planName}'. Please provide servicePlanID`,
  );
}

/** Lists of the catalog. */
interface CatalogApi {
  listOfferings(fieldQuery: string, options: CallOptions): Promise<ServiceOffering[]>;
  listPlans(fieldQuery: string, options: CallOptions): Promise<ServicePlan[]>;
}

const offerings = '/v1/service_offerings';
const plans = '/v1/service_plans';

export function createCatalogApi(calls: ApiCalls): CatalogApi {
  const list = <T>(
    path: typeof offerings | typeof plans,
    doing: string,
    fieldQuery: string,
    read: (reader: ReturnType<typeof bodyOf>) => T,
    options: CallOptions,
  ) =>
    allPages(doing, (token) =>
      calls.read(
        {
          doing,
          route: `GET ${path}`,
          request: (client, request) => {
            const query = { fieldQuery, ...(token === undefined ? {} : { token }) };
            return client.GET(path, { ...request, params: { query } });
          },
          statuses: [200],
          parse: (answer) => pageOf(answer, () => bodyOf(answer).objects('items').map(read)),
        },
        options,
      ),
    );
  return {
    listOfferings: (fieldQuery, options) =>
      list(offerings, 'list service offerings', fieldQuery, readOffering, options),
    listPlans: (fieldQuery, options) => list(plans, 'list service plans', fieldQuery, readPlan, options),
  };
}

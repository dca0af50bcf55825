import { inspect } from 'node:util';
import { isObject, ownMember } from '../../../framework/base/index.ts';
import { singleSpaced } from '../../../framework/base/text/text.ts';
import type { components } from './openapi.gen.ts';

/** Labels of an object by key, each with its values. */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** The identity of an object in Kubernetes: the labels `_namespace`, `_k8sname` and `_clusterid`. */
export interface KubernetesIdentity {
  readonly clusterID: string;
  readonly namespace: string;
  /** metadata.name */
  readonly name: string;
}

/** An instance in Service Manager. */
export interface ServiceInstance {
  readonly id: string;
  readonly name: string;
  readonly servicePlanID?: string;
  readonly platformID?: string;
  readonly labels: Labels;
  /** The label `subaccount_id`, else `context.subaccount_id`. */
  readonly subaccountID?: string;
  readonly ready: boolean;
  readonly usable: boolean;
  readonly shared: boolean;
  /** With `findInstances`, if there was an operation. */
  readonly lastOperation?: Operation;
}

/** JSON object. Values of `JSON.rawJSON` are sent verbatim. */
export type Parameters = Readonly<Record<string, unknown>>;

/** An instance to provision. */
export interface NewServiceInstance {
  /** The external name. */
  readonly name: string;
  readonly servicePlanID: string;
  /** Absent: none are sent. */
  readonly parameters?: Parameters;
  readonly identity: KubernetesIdentity;
}

/** The content of an update. */
export interface ServiceInstanceUpdate {
  readonly name: string;
  readonly servicePlanID: string;
  /** Absent: none are sent. */
  readonly parameters?: Parameters;
}

/** Finds the object of a resource whose ID was not recorded: name and identity must all match. */
export interface RecoveryQuery {
  /** The external name. */
  readonly name: string;
  readonly identity: KubernetesIdentity;
}

/** A binding in Service Manager. Printing or serialising it shows no credentials. */
export interface ServiceBinding {
  readonly id: string;
  readonly name: string;
  readonly serviceInstanceID?: string;
  /** The JSON text exactly as received. Absent if there are none, or null. Secret. */
  readonly credentials?: string;
  readonly labels: Labels;
  /** The label `subaccount_id`. */
  readonly subaccountID?: string;
  readonly ready: boolean;
  /** With `findBindings`, if there was an operation. */
  readonly lastOperation?: Operation;
}

/** A binding to create. */
export interface NewServiceBinding {
  /** The external name. */
  readonly name: string;
  readonly serviceInstanceID: string;
  /** Undefined: none are sent. */
  readonly parameters?: Parameters | undefined;
  readonly identity: KubernetesIdentity;
}

/** The new external name and the new name in Kubernetes. */
export interface BindingRename {
  readonly name: string;
  readonly kubernetesName: string;
}

export interface ServiceOffering {
  readonly id: string;
  readonly catalogName: string;
  readonly dataCenter?: string;
  readonly tags: readonly string[];
}

export interface ServicePlan {
  readonly id: string;
  readonly catalogName: string;
  readonly serviceOfferingID: string;
}

/** What a ServiceInstance says about its plan. */
export interface PlanSelection {
  /** The external name of the instance, for messages. */
  readonly instanceName: string;
  readonly offeringName: string;
  readonly planName: string;
  /** Needed if several plans match. */
  readonly planID?: string;
  /** Default: empty. */
  readonly dataCenter?: string;
}

/** A plan with its offering. */
export interface SelectedPlan {
  readonly plan: ServicePlan;
  readonly offering: ServiceOffering;
}

/** `pending`, `in progress`, `succeeded` or `failed`. */
export type OperationState = components['schemas']['Operation']['state'];

/** `create`, `update` or `delete`; another value counts as absent. */
export type OperationType = 'create' | 'update' | 'delete';

/** The state of an asynchronous change of an instance or binding. Texts are bounded and contain no known secret. */
export interface Operation {
  readonly id?: string;
  readonly state: OperationState;
  /** Absent if Service Manager omits it. */
  readonly type?: OperationType;
  readonly description?: string;
  /** The member `description` of `errors`: the text for users if the operation of an instance failed. */
  readonly errorDescription?: string;
  /** `errors` as compact JSON. */
  readonly errors?: string;
}

/** A change that was accepted or done. */
export type Change<T> =
  | { readonly state: 'done'; readonly resource: T }
  /** 202. `operationURL` is the path of the operation, for `getOperation`. */
  | { readonly state: 'in-progress'; readonly id: string; readonly operationURL: string };

export type Deletion =
  /** 200. */
  | { readonly state: 'gone' }
  /**
   * 404 or 410 of Service Manager: it has no such resource, or none that these credentials may see. Who deletes it must know that they
   * are those that made it.
   */
  | { readonly state: 'absent' }
  /** 202. */
  | { readonly state: 'in-progress'; readonly id: string; readonly operationURL: string };

/** The value does not match the contract. The message quotes no value: `items[3].id is a number, not a string`. */
export class DifferenceError extends Error {}

/** Reads the fields of one untrusted JSON object. Null counts as absent. */
export interface Reader {
  /** @throws DifferenceError if it is absent or empty */
  text(name: string): string;
  optionalText(name: string): string | undefined;
  /** Absent: false. */
  flag(name: string): boolean;
  optionalObject(name: string): Reader | undefined;
  /** Absent: empty. */
  texts(name: string): string[];
  /** Each element of an array of objects; absent: none. */
  objects(name: string): Reader[];
  value(name: string): unknown;
  entries(): [name: string, value: unknown][];
}

/** @param path of the object in messages; empty for the body */
export function readerOf(value: unknown, path = ''): Reader {
  if (!isObject(value)) throw new DifferenceError(`${path || 'the body'} is ${nameOf(value)}, not an object`);
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const member = (name: string) => ownMember(value, name) ?? undefined;
  const optionalText = (name: string) => {
    const text = member(name);
    if (text === undefined || typeof text === 'string') return text;
    throw new DifferenceError(`${at(name)} is ${nameOf(text)}, not a string`);
  };
  const array = (name: string): readonly unknown[] => {
    const list = member(name) ?? [];
    if (Array.isArray(list)) return list;
    throw new DifferenceError(`${at(name)} is ${nameOf(list)}, not an array`);
  };
  return {
    optionalText,
    text: (name) => {
      const text = optionalText(name);
      if (text === undefined || text === '')
        throw new DifferenceError(`${at(name)} is ${text === '' ? 'empty' : 'missing'}`);
      return text;
    },
    flag: (name) => {
      const flag = member(name) ?? false;
      if (typeof flag === 'boolean') return flag;
      throw new DifferenceError(`${at(name)} is ${nameOf(flag)}, not a boolean`);
    },
    optionalObject: (name) => {
      const inner = member(name);
      return inner === undefined ? undefined : readerOf(inner, at(name));
    },
    texts: (name) =>
      array(name).map((element, index) => {
        if (typeof element === 'string') return element;
        throw new DifferenceError(`${at(name)}[${index}] is ${nameOf(element)}, not a string`);
      }),
    objects: (name) => array(name).map((element, index) => readerOf(element, `${at(name)}[${index}]`)),
    value: member,
    entries: () => Object.entries(value),
  };
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

// The objects of Service Manager from their JSON. Unknown fields are ignored. Each function throws DifferenceError.

/** Length of a text of an operation, in characters. */
const MAX_TEXT = 4096;
/** Length of an ID, in characters. */
const MAX_ID = 512;

/** An ID that is stored in a status: a text that cannot be one is left out, so that what else is stored fits. */
const idOf = (text: string | undefined): string | undefined =>
  text === undefined || text.length > MAX_ID ? undefined : text;

export function readInstance(reader: Reader, scrub: Scrub): ServiceInstance {
  const labels = readLabels(reader);
  const servicePlanID = reader.optionalText('service_plan_id');
  const platformID = reader.optionalText('platform_id');
  const subaccountID = idOf(
    labels.subaccount_id?.[0] ?? reader.optionalObject('context')?.optionalText('subaccount_id'),
  );
  return {
    id: reader.text('id'),
    name: reader.optionalText('name') ?? '',
    ...(servicePlanID === undefined ? {} : { servicePlanID }),
    ...(platformID === undefined ? {} : { platformID }),
    labels,
    ...(subaccountID === undefined ? {} : { subaccountID }),
    ready: reader.flag('ready'),
    usable: reader.flag('usable'),
    shared: reader.flag('shared'),
    ...lastOperationOf(reader, scrub),
  };
}

/** @param credentials the JSON text as received */
export function readBinding(reader: Reader, credentials: string | undefined, scrub: Scrub): ServiceBinding {
  const labels = readLabels(reader);
  const serviceInstanceID = reader.optionalText('service_instance_id');
  const subaccountID = idOf(labels.subaccount_id?.[0]);
  const shown = {
    id: reader.text('id'),
    name: reader.optionalText('name') ?? '',
    ...(serviceInstanceID === undefined ? {} : { serviceInstanceID }),
    labels,
    ...(subaccountID === undefined ? {} : { subaccountID }),
    ready: reader.flag('ready'),
    ...lastOperationOf(reader, scrub),
  };
  if (credentials === undefined || credentials === 'null') return shown;
  const binding = { ...shown, credentials };
  Object.defineProperty(binding, 'toJSON', { value: () => shown });
  Object.defineProperty(binding, inspect.custom, { value: () => shown });
  return binding;
}

export function readOffering(reader: Reader): ServiceOffering {
  const dataCenter = reader.optionalText('data_center');
  return {
    id: reader.text('id'),
    catalogName: reader.text('catalog_name'),
    ...(dataCenter === undefined ? {} : { dataCenter }),
    tags: reader.texts('tags'),
  };
}

export function readPlan(reader: Reader): ServicePlan {
  return {
    id: reader.text('id'),
    catalogName: reader.text('catalog_name'),
    serviceOfferingID: reader.text('service_offering_id'),
  };
}

type Scrub = (text: string) => string;

export function readOperation(reader: Reader, scrub: Scrub): Operation {
  const clean = (text: string) => singleSpaced(scrub(text), MAX_TEXT);
  const id = reader.optionalText('id');
  const type = operationTypeOf(reader.optionalText('type'));
  const description = reader.optionalText('description');
  const errors = reader.value('errors');
  const errorDescription = isObject(errors) ? errors.description : undefined;
  return {
    ...(id === undefined ? {} : { id }),
    state: operationStateOf(reader.text('state')),
    ...(type === undefined ? {} : { type }),
    ...(description === undefined || description === '' ? {} : { description: clean(description) }),
    ...(typeof errorDescription === 'string' ? { errorDescription: clean(errorDescription) } : {}),
    ...(errors === undefined ? {} : { errors: clean(JSON.stringify(errors)) }),
  };
}

function lastOperationOf(reader: Reader, scrub: Scrub): { lastOperation?: Operation } {
  const operation = reader.optionalObject('last_operation');
  return operation === undefined ? {} : { lastOperation: readOperation(operation, scrub) };
}

const types: readonly OperationType[] = ['create', 'update', 'delete'];
const states: readonly OperationState[] = ['pending', 'in progress', 'succeeded', 'failed'];

const operationTypeOf = (text: string | undefined) => types.find((type) => type === text);

function operationStateOf(text: string): OperationState {
  const state = states.find((known) => known === text);
  if (state === undefined) throw new DifferenceError('the state of the operation is unknown');
  return state;
}

function readLabels(reader: Reader): Labels {
  const labels = reader.optionalObject('labels');
  return Object.fromEntries((labels?.entries() ?? []).map(([key]) => [key, labels?.texts(key) ?? []]));
}

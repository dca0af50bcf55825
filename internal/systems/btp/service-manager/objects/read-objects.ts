/** The objects of Service Manager from their JSON. Unknown fields are ignored. Each function throws DifferenceError. */
import { inspect } from 'node:util';
import { isObject } from '../../../../framework/base/index.ts';

import { singleSpaced } from '../../../../framework/base/text/text.ts';
import type { Operation, OperationState, OperationType } from './operation.ts';
import type { ServiceOffering, ServicePlan } from './plan.ts';
import { DifferenceError, type Reader } from './reader.ts';
import type { ServiceBinding } from './service-binding.ts';
import type { Labels, ServiceInstance } from './service-instance.ts';

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
